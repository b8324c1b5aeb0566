import { objectAt, own, stringAt } from '@wherry/cel/internal'
import { ageOf, nameOf, type Printer, sizeOf } from './printer.ts'

/** ConfigMaps, Secrets, Namespaces, ServiceAccounts, Leases and PriorityClasses. */
export const basic: Readonly<Record<string, Printer>> = {
  configmaps: { cells: (object, now) => [nameOf(object), sizeOf(object, 'data', 'binaryData'), ageOf(object, now)] },
  secrets: {
    cells: (object, now) => [
      nameOf(object),
      stringAt(object, 'type') ?? '',
      sizeOf(object, 'data'),
      ageOf(object, now),
    ],
  },
  namespaces: {
    cells: (object, now) => [nameOf(object), stringAt(objectAt(object, 'status'), 'phase') ?? '', ageOf(object, now)],
  },
  serviceaccounts: { cells: (object, now) => [nameOf(object), ageOf(object, now)] },
  'leases.coordination.k8s.io': {
    cells: (object, now) => [
      nameOf(object),
      stringAt(objectAt(object, 'spec'), 'holderIdentity') ?? '',
      ageOf(object, now),
    ],
  },
  'priorityclasses.scheduling.k8s.io': {
    cells: (object, now) => [
      ...[nameOf(object), own(object, 'value') ?? 0, own(object, 'globalDefault') ?? false, ageOf(object, now)],
      stringAt(object, 'preemptionPolicy') ?? 'PreemptLowerPriority',
    ],
  },
}
