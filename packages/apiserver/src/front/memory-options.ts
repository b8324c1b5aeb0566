import { anything, call, checkFields, oneOf, required, type Taken, whole } from '../option-check.ts'
import type { MemoryFaults, MemoryTransportOptions } from './memory.ts'

const probability: Taken = {
  takes: 'a number from 0 to 1',
  ok: value => typeof value === 'number' && value >= 0 && value <= 1,
}
const isLatency = (value: unknown): boolean => Number.isFinite(value) && (value as number) >= 0

const options: Readonly<Record<keyof MemoryTransportOptions, Taken>> = {
  handler: required(call),
  clock: required(anything),
  random: required(call),
  protocol: oneOf('h2', 'http/1.1'),
  maxStreams: whole(1),
  windowBytes: whole(1),
  latencyMs: {
    takes: 'a number of 0 or more, or the least and the most',
    ok: value =>
      Array.isArray(value) ? value.length === 2 && value.every(isLatency) && value[0] <= value[1] : isLatency(value),
  },
  chunking: oneOf('random', 'whole', 'bytes'),
  maxBodyBytes: whole(),
  certificate: anything,
  faults: anything,
  trace: anything,
}

const faults: Readonly<Record<keyof MemoryFaults, Taken>> = {
  kill: probability,
  goaway: probability,
  freeze: probability,
  refuse: probability,
}

/** Refuses unknown options and wrong values of a transport in memory. */
export function checkMemoryOptions(given: MemoryTransportOptions): void {
  checkFields('memoryTransport', given, options)
  if (given.faults !== undefined) checkMemoryFaults(given.faults)
}

/** Refuses invalid random faults. */
export function checkMemoryFaults(given: MemoryFaults): void {
  checkFields('memoryTransport: faults', given, faults)
}
