#!/bin/sh
# The compiler, which the kernel ends with the thread that started it: killed in the middle of a check, the server leaves
# one behind that waits for an answer for ever.
root=$(dirname "$0")/../../../..
exec setpriv --pdeathsig KILL -- "$root"/node_modules/@typescript/typescript-linux-*/lib/tsc "$@"
