/** An operator of ours on ConfigMaps. */
import { configMaps } from '@wherry/client/resources/core'
import { isFullView } from './in-program.ts'
import { runOperator } from './run-operator.ts'

await runOperator(isFullView() ? configMaps.full() : configMaps)
