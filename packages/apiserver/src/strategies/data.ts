import { type Json, own } from '@wherry/cel/internal'
import { configMapProblems, readConfigMap, readSecret, secretProblems } from '../builtin/validation/data.ts'
import type { Strategies } from '../write/strategy.ts'

/** The strategies of ConfigMaps and Secrets. */
export const dataStrategies: Strategies = {
  configmaps: { decode: readConfigMap, problems: configMapProblems },
  secrets: {
    decode: readSecret,
    create(object) {
      object.type ||= 'Opaque'
    },
    update(object, old) {
      object.type ??= own(old, 'type') as Json
    },
    problems: secretProblems,
  },
}
