/** An operator of ours on custom resources. */
import { widgets } from '../../server/widgets.ts'
import { isFullView } from './in-program.ts'
import { runOperator } from './run-operator.ts'

await runOperator(isFullView() ? widgets.full() : widgets)
