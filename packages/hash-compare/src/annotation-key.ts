/** The annotation in which `writeHashes` keeps hashes. `specPart` always leaves it out, because otherwise a hash would depend on itself. */
export const hashesAnnotation = 'wherry.dev/hashes'
