/** The exports for Wherry's other packages. They may change with any release, a patch too: programs import from the package itself. */
export { memoryTransport, systemClock } from '@wherry/apiserver/internal'
export { recordedEnvironment } from './simulate/recorded-environment.ts'
export { Trace } from './simulate/trace.ts'
