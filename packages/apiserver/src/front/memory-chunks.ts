import { chance, integer } from '../random.ts'
import type { DataFrame, ServerFrame } from './memory-frames.ts'

/**
 * How the bytes of a response are divided into chunks. `random`: at arbitrary positions, sometimes after each byte; chunks may be joined or delayed. `whole`: as
 * the server wrote them. `bytes`: one byte per chunk.
 */
export type Chunking = 'random' | 'whole' | 'bytes'

const newline = 0x0a

/** A batch of frames in two parts: the client receives `later` with the next batch. The parts have the bytes of the batch in its order. */
export interface Arrival {
  readonly now: readonly ServerFrame[]
  readonly later: readonly ServerFrame[]
}

/** Changes how the bytes of a batch of frames are divided into chunks. */
export function rechunk(frames: readonly ServerFrame[], chunking: Chunking, random: () => number): Arrival {
  if (chunking === 'whole') return { now: frames, later: [] }
  if (chunking === 'bytes') {
    const now = frames.flatMap<ServerFrame>(frame => (frame.kind === 'data' ? singleBytes(frame) : [frame]))
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

/** Cuts the batch in two after a random frame, or inside that frame if it has at least two bytes. The first part is never empty. */
function holdBack(frames: readonly ServerFrame[], random: () => number): Arrival {
  const index = integer(random, 0, frames.length - 1)
  const frame = frames[index]
  if (frame?.kind !== 'data' || frame.bytes.length < 2) {
    return { now: frames.slice(0, index + 1), later: frames.slice(index + 1) }
  }
  const [first, second] = cut(frame, integer(random, 1, frame.bytes.length - 1))
  return { now: [...frames.slice(0, index), first], later: [second, ...frames.slice(index + 1)] }
}

/** Sometimes joins neighbouring data frames of one stream, so that a chunk has several lines. */
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
    const first = run[0]
    if (frame.kind !== 'data' || (first !== undefined && (first.stream !== frame.stream || chance(random, 0.5))))
      flush()
    if (frame.kind === 'data') run.push(frame)
    else result.push(frame)
  }
  flush()
  return result
}

/** Adds the parts of a frame to `result`. */
function split(frame: DataFrame, random: () => number, result: ServerFrame[]): void {
  let rest = frame
  // Half of the frames have no cut.
  let cuts = integer(random, -2, 3)
  while (cuts-- > 0 && rest.bytes.length > 1) {
    const [first, second] = cut(rest, cutPosition(rest.bytes, random))
    result.push(first)
    rest = second
  }
  if (chance(random, 1 / 8)) {
    const [head, tail] = cut(rest, Math.min(rest.bytes.length, integer(random, 1, 6)))
    result.push(...singleBytes(head))
    rest = tail
  }
  if (rest.bytes.length > 0) result.push(rest)
}

/** A position for a cut: anywhere, or next to the end of a line, where parsers tend to have bugs. */
function cutPosition(bytes: Uint8Array, random: () => number): number {
  const at = integer(random, 1, bytes.length - 1)
  if (chance(random, 0.7)) return at
  const end = bytes.indexOf(newline, at)
  if (end === -1) return at
  return Math.min(chance(random, 0.5) ? end : end + 1, bytes.length - 1)
}

function singleBytes(frame: DataFrame): DataFrame[] {
  const { kind, stream, bytes } = frame
  const frames: DataFrame[] = []
  for (let at = 0; at < bytes.length; at++) frames.push({ kind, stream, bytes: bytes.subarray(at, at + 1) })
  return frames
}

/** Cuts a frame in two. The second part begins at byte `at`. */
export function cut(frame: DataFrame, at: number): [DataFrame, DataFrame] {
  const { kind, stream, bytes } = frame
  return [
    { kind, stream, bytes: bytes.subarray(0, at) },
    { kind, stream, bytes: bytes.subarray(at) },
  ]
}
