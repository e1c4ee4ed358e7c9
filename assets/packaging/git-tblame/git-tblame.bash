# For `git tblame`: git's completion loads this file for the function _git_tblame, which is in that of tblame beside it.
_git_tblame_file=${BASH_SOURCE[0]%/*}/tblame
[ -r "$_git_tblame_file" ] || _git_tblame_file+=.bash
source "$_git_tblame_file"
unset _git_tblame_file
