// Package notebook shows Jupyter notebooks as the text of their cells.
//
// Never: change a notebook; run a cell.
package notebook
