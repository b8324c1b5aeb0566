/** An operator of ours on ConfigMaps. */
import { configMaps } from '@wherry/client/resources/core'
import { runOperator } from './run-operator.ts'

await runOperator(configMaps)
