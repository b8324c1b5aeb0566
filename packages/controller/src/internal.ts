/** For Wherry's other packages. Any release may change these exports, even a patch: programs import from the package itself. */
export type { AppliedObject } from './apply/applied-object.ts'
export { applyEmptying } from './apply/apply-emptying.ts'
export { viewRights } from './operator/declaration.ts'
export { NotYetError } from './server/not-yet.ts'
export type { ControllerSourceTarget } from './sources/controller-source.ts'
export { handles, handlesApplied } from './sources/controller-sources.ts'
