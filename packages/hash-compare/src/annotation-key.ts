/** The annotation that `writeHashes` keeps hashes in. No `specPart` has it: else a hash would be of itself. */
export const hashesAnnotation = 'wherry.dev/hashes'
