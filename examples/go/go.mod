module isomat-example

go 1.19
