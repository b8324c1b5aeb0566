/** An operator of ours on custom resources. */
import { widgets } from '../../server/widgets.ts'
import { runOperator } from './run-operator.ts'

await runOperator(widgets)
