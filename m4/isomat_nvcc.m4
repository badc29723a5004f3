# SPDX-License-Identifier: MIT
#
# ISOMAT_CHECK_NVCC(MODULES)
#
# Finds where the fatbins of the named modules come from:
#   --with-nvcc[=PATH]   they are compiled, always
#   --without-nvcc       the ones of the release are taken
#   neither              those of the release if they are there, else compiled
# Sets NVCC (empty if nothing is compiled), NVCC_FLAGS and GENCODE, and asks the
# nvcc that is found which architectures it knows.
AC_DEFUN([ISOMAT_CHECK_NVCC], [
AC_ARG_WITH([nvcc],
    [AS_HELP_STRING([--with-nvcc@<:@=PATH@:>@], [compile the kernels with this nvcc])],
    [], [with_nvcc=auto])
AC_ARG_WITH([cuda-archs],
    [AS_HELP_STRING([--with-cuda-archs=LIST],
        [architectures to compile for, such as "80 90 compute_80"; default: all known ones of
         75 80 86 89 90 100 120 compute_75 compute_80])],
    [], [with_cuda_archs=])
AC_ARG_VAR([NVCC], [CUDA compiler])

isomat_shipped=yes
for isomat_module in $1; do
    test -f "$srcdir/modules/$isomat_module.fatbin" || isomat_shipped=no
done

AS_CASE(["$with_nvcc"],
    [no], [NVCC=],
    [yes], [ISOMAT_FIND_NVCC
        AS_IF([test -z "$NVCC"], [AC_MSG_ERROR([--with-nvcc was given, but no nvcc was found])])],
    [auto], [AS_IF([test "$isomat_shipped" = yes && test -z "$with_cuda_archs"], [NVCC=], [ISOMAT_FIND_NVCC])],
    [NVCC=$with_nvcc])

AS_IF([test -n "$NVCC"], [ISOMAT_ASK_NVCC],
    [test -n "$with_cuda_archs"],
        [AC_MSG_ERROR([--with-cuda-archs needs nvcc: give --with-nvcc=PATH])],
    [test "$isomat_shipped" = yes], [
        isomat_kernels_from="the release's"
        isomat_archs_summary="see modules/README in the release"],
    [AC_MSG_ERROR([nvcc was not found, and this is no release with compiled kernels:
give --with-nvcc=PATH, run ./quickstart, which installs nvcc into a folder here,
or build from a release's tarball])])

AM_CONDITIONAL([HAVE_NVCC], [test -n "$NVCC"])
AM_CONDITIONAL([HAVE_CUDA_H], [test -n "$CUDA_CPPFLAGS"])
AC_SUBST([CUDA_CPPFLAGS])
AC_SUBST([NVCC_FLAGS])
AC_SUBST([GENCODE])
AC_SUBST([GENCODE_80])
AC_SUBST([GENCODE_MMA])
AC_SUBST([GENCODE_HOPPER])
])

AC_DEFUN([ISOMAT_FIND_NVCC], [
AC_PATH_PROGS([NVCC], [nvcc], [], [$PATH$PATH_SEPARATOR${CUDA_HOME:-/usr/local/cuda}/bin$PATH_SEPARATOR/usr/local/cuda/bin])
])

# ISOMAT_TRY_NVCC(FLAGS, IF-ACCEPTED, IF-NOT): compiles an empty kernel.
AC_DEFUN([ISOMAT_TRY_NVCC], [
AS_ECHO(["extern \"C\" __global__ void empty() {}"]) > conftest.cu
AS_IF([$NVCC -fatbin -o conftest.fatbin $1 conftest.cu >&AS_MESSAGE_LOG_FD 2>&1], [$2], [$3])
rm -f conftest.cu conftest.fatbin
])

AC_DEFUN([ISOMAT_ASK_NVCC], [
AC_MSG_CHECKING([the version of nvcc])
isomat_nvcc_version=`"$NVCC" --version 2>&AS_MESSAGE_LOG_FD | $SED -n 's/.*release \(@<:@0-9@:>@*\.@<:@0-9@:>@*\).*/\1/p'`
AS_IF([test -z "$isomat_nvcc_version"], [AC_MSG_ERROR([$NVCC does not tell its version: is it nvcc?])])
AC_MSG_RESULT([$isomat_nvcc_version])
AX_COMPARE_VERSION([$isomat_nvcc_version], [lt], [11.8],
    [AC_MSG_ERROR([nvcc $isomat_nvcc_version is too old: 11.8 or later is needed])])

AC_MSG_CHECKING([for architectures that nvcc compiles for])
isomat_known=`"$NVCC" --list-gpu-code 2>&AS_MESSAGE_LOG_FD; "$NVCC" --list-gpu-arch 2>&AS_MESSAGE_LOG_FD`
isomat_archs=
GENCODE=
GENCODE_80=  # of compute capability 8.0 alone
GENCODE_MMA= # and of those above
for isomat_arch in `AS_ECHO(["${with_cuda_archs:-75 80 86 89 90 100 120 compute_75 compute_80}"]) | tr ',;' '  '`; do
    AS_CASE([$isomat_arch],
        [sm_*], [isomat_name=$isomat_arch],
        [compute_*], [isomat_name=$isomat_arch],
        [isomat_name=sm_$isomat_arch])
    isomat_number=`AS_ECHO([$isomat_name]) | $SED 's/.*_//'`
    isomat_gencode="-gencode=arch=compute_$isomat_number,code=$isomat_name"
    # The lists name no architecture with a suffix, such as 90a: only a trial tells.
    AS_CASE([$isomat_number],
        [*@<:@af@:>@], [ISOMAT_TRY_NVCC([$isomat_gencode], [isomat_ok=yes], [isomat_ok=no])],
        [AS_IF([AS_ECHO(["$isomat_known"]) | grep -x "$isomat_name" >/dev/null], [isomat_ok=yes], [isomat_ok=no])])
    AS_IF([test $isomat_ok = yes], [
            isomat_archs="$isomat_archs $isomat_name"
            GENCODE="$GENCODE $isomat_gencode"
            AS_CASE([$isomat_number],
                [80], [GENCODE_80="$GENCODE_80 $isomat_gencode"; GENCODE_MMA="$GENCODE_MMA $isomat_gencode"],
                [5?|6?|7?], [],
                [GENCODE_MMA="$GENCODE_MMA $isomat_gencode"])],
        [test -n "$with_cuda_archs"],
            [AC_MSG_ERROR([nvcc $isomat_nvcc_version does not compile for $isomat_arch])])
done
AC_MSG_RESULT([$isomat_archs])
AS_IF([test -z "$GENCODE"], [AC_MSG_ERROR([nvcc $isomat_nvcc_version compiles for none of the architectures wanted])])
AS_CASE([$isomat_archs], [*compute_*], [],
    [AC_MSG_WARN([no PTX among the architectures: the host driver and newer GPUs will find no image])])

# Kernels for Hopper's tensor cores, if sm_90 is among the architectures.
GENCODE_HOPPER=
AS_CASE(["$isomat_archs "], [*\ sm_90\ *], [
    AC_MSG_CHECKING([for sm_90a])
    isomat_gencode="-gencode=arch=compute_90a,code=sm_90a"
    ISOMAT_TRY_NVCC([$isomat_gencode],
        [GENCODE_HOPPER=$isomat_gencode; isomat_archs="$isomat_archs sm_90a"; AC_MSG_RESULT([yes])],
        [AC_MSG_RESULT([no])])])

# LZ4 rather than zstd: drivers before CUDA 12.4 know no zstd.
NVCC_FLAGS="-O3 -std=c++17"
AC_MSG_CHECKING([how nvcc compresses images])
ISOMAT_TRY_NVCC([--compress-mode=speed -Xfatbin -compress-all],
    [NVCC_FLAGS="$NVCC_FLAGS --compress-mode=speed -Xfatbin -compress-all"; AC_MSG_RESULT([LZ4])],
    [NVCC_FLAGS="$NVCC_FLAGS -Xfatbin -compress-all"; AC_MSG_RESULT([its default])])
AC_MSG_CHECKING([whether nvcc compiles architectures side by side])
ISOMAT_TRY_NVCC([--threads 2],
    [NVCC_FLAGS="$NVCC_FLAGS --threads 2"; AC_MSG_RESULT([yes])], [AC_MSG_RESULT([no])])

AC_MSG_CHECKING([for cuda.h, to compare with])
isomat_cuda_include=`dirname "$NVCC"`/../include
AS_IF([test -f "$isomat_cuda_include/cuda.h"],
    [CUDA_CPPFLAGS="-isystem $isomat_cuda_include"; AC_MSG_RESULT([yes])],
    [CUDA_CPPFLAGS=; AC_MSG_RESULT([no])])

isomat_kernels_from="compiled by $NVCC ($isomat_nvcc_version)"
isomat_archs_summary=$isomat_archs
])
