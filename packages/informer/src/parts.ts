/**
 * What informers are made of, for packages that build informers of another kind on the same reflectors and stores. Programs
 * need none of it.
 */
export { formFor, type ReadForm, scopeKey, targetsFor } from './covering/scope.ts'
export { jointError, jointResourceVersion, jointState } from './reflector/joint.ts'
export { clientCheck, type ReflectorSettings, readingChecks, settingsOf } from './reflector/options.ts'
export { Reflectors, type ReflectorsOptions } from './reflector/reflectors.ts'
export { isAnswer, isClosed, isForTheCaller } from './reflector/transitions.ts'
export { packingCheck } from './store/packing.ts'
export { StoreReader } from './store-reader.ts'
export { SyncWaiters, whyNotSynced } from './synced.ts'
export { abortable, aborted, late, within } from './waits.ts'
export { callGuarded, watched } from './watched.ts'
