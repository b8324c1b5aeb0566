/** The smallest operator of a kind that is defined with a schema library. */

import { games } from './game.ts'
import { runOperator } from './run-operator.ts'

await runOperator(games)
