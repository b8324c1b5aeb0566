import type { InformerReads } from '../controller/writing-client.ts'
import type { TrackedReads } from '../reads/tracked-reads.ts'

/** Tells the reads of several controllers what was written, so that what one has written is not older to the others (rule C10). */
export function tellingAll(reads: () => readonly TrackedReads[]): InformerReads {
  return {
    wrote: (view, answer) => {
      for (const one of reads()) one.wrote(view, answer)
    },
    deleted: (view, key, uid) => {
      for (const one of reads()) one.deleted(view, key, uid)
    },
    unanswered: (view, key) => {
      for (const one of reads()) one.unanswered(view, key)
    },
    uids: (view, key) => reads().flatMap(one => [...one.uids(view, key)]),
  }
}
