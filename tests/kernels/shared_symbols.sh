#!/bin/sh
# shared_symbols.sh ARCHIVE: fails when an object of one instruction set holds a symbol that the linker could take for
# other code as well (a weak one outside the set's own namespaces): on a lesser CPU that would be an illegal instruction.
set -eu
found=0
for set in avx2 avx512; do
  shared=$(nm -A -C "$1" 2>/dev/null | grep "_$set\.cpp\.o:" | grep -E " [WVu] " |
    grep -v -e "::$set::" -e "xsimd_$set" -e "DW.ref.__gxx_personality_v0" || true)
  count=$(nm -A -C "$1" 2>/dev/null | grep -c "_$set\.cpp\.o:" || true)
  if [ "$count" -eq 0 ]; then
    echo "no objects of $set in $1"
    found=1
  fi
  if [ -n "$shared" ]; then
    echo "$shared"
    found=1
  fi
done
exit $found
