import { chance, integer } from '../random.ts'
import type { DataFrame, ServerFrame } from './memory-frames.ts'

/**
 * How the bytes of a response are cut into chunks: `random` at borders without meaning, sometimes byte by byte, with chunks joined and parts held back; `whole`
 * as the server wrote them; `bytes` each byte alone.
 */
export type Chunking = 'random' | 'whole' | 'bytes'

const newline = 0x0a

/** Frames that arrive now, and frames that arrive later. Order and bytes stay the same. */
export interface Arrival {
  readonly now: readonly ServerFrame[]
  readonly later: readonly ServerFrame[]
}

/** Cuts a batch of frames into other chunks. */
export function rechunk(frames: readonly ServerFrame[], chunking: Chunking, random: () => number): Arrival {
  if (chunking === 'whole') return { now: frames, later: [] }
  if (chunking === 'bytes') {
    const now = frames.flatMap<ServerFrame>(frame => (frame.kind === 'data' ? singles(frame) : [frame]))
    return { now, later: [] }
  }
  const { now, later } = chance(random, 1 / 5) ? holdBack(frames, random) : { now: frames, later: [] }
  const result: ServerFrame[] = []
  for (const frame of join(now, random)) {
    if (frame.kind === 'data') split(frame, random, result)
    else result.push(frame)
  }
  return { now: result, later }
}

/** Cuts the batch in two, in the middle of a frame if the frame is long enough. At least a part arrives now. */
function holdBack(frames: readonly ServerFrame[], random: () => number): Arrival {
  const index = integer(random, 0, frames.length - 1)
  const frame = frames[index]
  if (frame?.kind !== 'data' || frame.bytes.length < 2) {
    return { now: frames.slice(0, index + 1), later: frames.slice(index + 1) }
  }
  const [first, second] = cut(frame, integer(random, 1, frame.bytes.length - 1))
  return { now: [...frames.slice(0, index), first], later: [second, ...frames.slice(index + 1)] }
}

/** Joins neighbouring frames of a stream into one chunk, now and then: so a chunk has several lines, or parts of lines. */
function join(frames: readonly ServerFrame[], random: () => number): readonly ServerFrame[] {
  if (frames.length < 2) return frames
  const result: ServerFrame[] = []
  let run: DataFrame[] = []
  const flush = (): void => {
    const first = run[0]
    if (first !== undefined && run.length > 1) {
      result.push({ ...first, bytes: Buffer.concat(run.map(({ bytes }) => bytes)) })
    } else if (first !== undefined) result.push(first)
    run = []
  }
  for (const frame of frames) {
    const before = run[0]
    if (frame.kind !== 'data' || (before !== undefined && (before.stream !== frame.stream || chance(random, 0.5))))
      flush()
    if (frame.kind === 'data') run.push(frame)
    else result.push(frame)
  }
  flush()
  return result
}

function split(frame: DataFrame, random: () => number, result: ServerFrame[]): void {
  let rest = frame
  let cuts = integer(random, -2, 3)
  while (cuts-- > 0 && rest.bytes.length > 1) {
    const [first, second] = cut(rest, border(rest.bytes, random))
    result.push(first)
    rest = second
  }
  if (chance(random, 1 / 8)) {
    const [few, others] = cut(rest, Math.min(rest.bytes.length, integer(random, 1, 6)))
    result.push(...singles(few))
    rest = others
  }
  if (rest.bytes.length > 0) result.push(rest)
}

/** A position for a cut: anywhere inside, or right before or after the end of a line, where readers make mistakes. */
function border(bytes: Uint8Array, random: () => number): number {
  const at = integer(random, 1, bytes.length - 1)
  if (chance(random, 0.7)) return at
  const end = bytes.indexOf(newline, at)
  if (end === -1) return at
  return Math.min(chance(random, 0.5) ? end : end + 1, bytes.length - 1)
}

function singles(frame: DataFrame): DataFrame[] {
  const { kind, stream, bytes } = frame
  const frames: DataFrame[] = []
  for (let at = 0; at < bytes.length; at++) frames.push({ kind, stream, bytes: bytes.subarray(at, at + 1) })
  return frames
}

/** Cuts a frame in two. */
export function cut(frame: DataFrame, at: number): [DataFrame, DataFrame] {
  const { kind, stream, bytes } = frame
  return [
    { kind, stream, bytes: bytes.subarray(0, at) },
    { kind, stream, bytes: bytes.subarray(at) },
  ]
}
