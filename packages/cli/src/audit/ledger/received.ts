import type { Found } from '../scan/body-reader.ts'

/** Counts the objects in a namespace that a program receives. */
export class Received {
  readonly namespace: string
  /** The numbers of objects and bytes by resource. */
  readonly #resources = new Map<string, { objects: number; bytes: number }>()

  constructor(namespace: string) {
    this.namespace = namespace
  }

  /** Counts an object of a list, an event or a single answer, if it is in the namespace. */
  found(resource: string, { namespace, bytes }: Pick<Found, 'namespace' | 'bytes'>): void {
    if (namespace !== this.namespace) return
    const known = this.#resources.get(resource) ?? { objects: 0, bytes: 0 }
    known.objects++
    known.bytes += bytes
    this.#resources.set(resource, known)
  }

  /** The numbers of objects and bytes by resource, in the order of the resources. */
  all(): readonly { readonly resource: string; readonly objects: number; readonly bytes: number }[] {
    return [...this.#resources]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([resource, counts]) => ({ resource, ...counts }))
  }
}
