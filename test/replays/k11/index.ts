import { oldVersionCut, tooManyRequests } from './answers.ts'
import { deadConnection, deadControlPlane, manyReconnects } from './connections.ts'
import { deletedWhileAway, deletedWhileQueued, podsOfOthers, stoppedAndStarted, throwing } from './objects.ts'
import { deadConnectionReal, manyReconnectsReal, podsOfOthersReal } from './real.ts'
import type { WatchReplay } from './replay.ts'

/** What broke watches, by rule. */
export const brokenWatches: readonly WatchReplay[] = [
  deadConnection,
  deadConnectionReal,
  tooManyRequests(undefined),
  tooManyRequests(7),
  throwing,
  deadControlPlane(1),
  deadControlPlane(20),
  oldVersionCut,
  deletedWhileAway('disconnected'),
  deletedWhileAway('expired'),
  deletedWhileQueued,
  manyReconnects(1000),
  manyReconnectsReal(1000),
  stoppedAndStarted,
  podsOfOthers,
  podsOfOthersReal,
]
