@rem What `exec` of a POSIX shell is to the scripts of package.json: cmd.exe, which has none, finds this file instead.
@%*
