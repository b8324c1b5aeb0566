/** For Wherry's other packages. Any release may change these exports, even a patch: programs import from the package itself. */
export type { HeldInformer } from './cache.ts'
