/** What Wherry's other packages need of this one. It may change with any release, a patch too: programs import from the package itself. */
export { memoryTransport } from './apiserver/front/memory.ts'
export { refusalsOfSchemas } from './apiserver/schema/definition-schemas.ts'
export { systemClock } from './clock.ts'
export { InstallError } from './install/install.ts'
export { recordedEnvironment } from './simulate/recorded-environment.ts'
export { Trace } from './simulate/trace.ts'
