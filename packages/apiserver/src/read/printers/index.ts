import type { ResourceType } from '../../resources/resource-type.ts'
import { resourceKey } from '../../store/store.ts'
import { admission } from './admission.ts'
import { basic } from './basic.ts'
import { cluster } from './cluster.ts'
import { definitions } from './definitions.ts'
import { network } from './network.ts'
import { pods } from './pods.ts'
import type { Printer } from './printer.ts'
import { rarer } from './rarer.ts'
import { rights } from './rights.ts'
import { scaling } from './scaling.ts'
import { storage } from './storage.ts'
import { workloads } from './workloads.ts'

const printers: Readonly<Record<string, Printer>> = {
  ...basic,
  ...workloads,
  ...network,
  ...storage,
  ...rights,
  ...scaling,
  ...cluster,
  ...admission,
  ...definitions,
  ...rarer,
  pods,
}

/** The printer of a built-in; `undefined` if this server has none for it. */
export function builtinPrinter(type: ResourceType): Printer | undefined {
  return printers[resourceKey(type)]
}
