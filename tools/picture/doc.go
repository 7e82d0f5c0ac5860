// Package picture holds the tool view_image, and makes pictures fit for models:
// recognised by their first bytes, bounded before they are decoded, turned
// upright, scaled down, and sent only if they can be decoded.
//
// Never: trust a header; send bytes that a vendor would refuse, since that would
// end the thread; change a file.
package picture
