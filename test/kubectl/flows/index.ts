import type { Flow } from '../flow.ts'
import { applyFlows } from './apply.ts'
import { changeFlows } from './change.ts'
import { clusterFlows } from './cluster.ts'
import { readFlows } from './read.ts'

export const flows: readonly Flow[] = [...applyFlows, ...readFlows, ...changeFlows, ...clusterFlows]
