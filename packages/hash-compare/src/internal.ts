/** The exports for Wherry's other packages. They may change with any release, a patch too: programs import from the package itself. */
export { isHashedObject } from './ingest/hashed-object.ts'
export { Shared } from './ingest/shared.ts'
