brim info
brim ls coads_climatology.nc
brim plan dew_point.toml
brim run dew_point.toml --memory 512MiB
brim eval 'mean(sst, axis=0)' sst=coads_climatology.nc:/SST -o sst.h5:/mean
