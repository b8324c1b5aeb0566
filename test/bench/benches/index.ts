import type { Bench } from '../harness/bench.ts'
import { applyBench } from './apply/bench.ts'
import { auditBench } from './audit/bench.ts'
import { bundlesBench } from './bundles/bench.ts'
import { callBench } from './call/bench.ts'
import { catalogBench } from './catalog/bench.ts'
import { churnBench } from './churn/bench.ts'
import { clustersBench } from './clusters/bench.ts'
import { coldBench } from './cold/bench.ts'
import { convertBench } from './convert/bench.ts'
import { copiedBench } from './copied/bench.ts'
import { copiesBench } from './copies/bench.ts'
import { crdBench } from './crd/bench.ts'
import { createBench } from './create/bench.ts'
import { eventsBench } from './events/bench.ts'
import { fanoutBench } from './fanout/bench.ts'
import { firstBench } from './first/bench.ts'
import { gameBench } from './game/bench.ts'
import { handoverBench } from './handover/bench.ts'
import { hashBench } from './hash/bench.ts'
import { importBench } from './import/bench.ts'
import { journalBench } from './journal/bench.ts'
import { listBench } from './list/bench.ts'
import { memoryBench } from './memory/bench.ts'
import { migrateBench } from './migrate/bench.ts'
import { millionBench } from './million/bench.ts'
import { narrowBench } from './narrow/bench.ts'
import { operatorBench } from './operator/bench.ts'
import { optOutBench } from './opt-out/bench.ts'
import { policyBench } from './policy/bench.ts'
import { queueBench } from './queue/bench.ts'
import { reactionBench } from './reaction/bench.ts'
import { reconcileBench } from './reconcile/bench.ts'
import { relistBench } from './relist/bench.ts'
import { replayBench } from './replay/bench.ts'
import { serverBench } from './server/bench.ts'
import { shardsBench } from './shards/bench.ts'
import { streamsBench } from './streams/bench.ts'
import { syncBench } from './sync/bench.ts'
import { watchBench } from './watch/bench.ts'
import { webhookBench } from './webhook/bench.ts'

/** All benchmarks, in the order of `--list`. */
export const benches: readonly Bench[] = [
  serverBench,
  callBench,
  listBench,
  optOutBench,
  streamsBench,
  watchBench,
  importBench,
  queueBench,
  hashBench,
  syncBench,
  memoryBench,
  millionBench,
  eventsBench,
  relistBench,
  journalBench,
  fanoutBench,
  replayBench,
  churnBench,
  narrowBench,
  firstBench,
  gameBench,
  copiesBench,
  copiedBench,
  applyBench,
  reconcileBench,
  coldBench,
  shardsBench,
  clustersBench,
  operatorBench,
  crdBench,
  createBench,
  reactionBench,
  handoverBench,
  migrateBench,
  policyBench,
  catalogBench,
  bundlesBench,
  webhookBench,
  convertBench,
  auditBench,
]
