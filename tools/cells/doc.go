// Package cells holds the tool notebook_edit: cells of Jupyter notebooks,
// nbformat 4. What it does not name stays byte for byte: keys and their order,
// indentation, outputs, escapes.
//
// Never: run a cell; write a notebook anew from what was parsed of it; touch
// outputs of another cell.
package cells
