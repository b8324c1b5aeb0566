import { type Environment, InvalidObjectError, resourceName, type View } from '@wherry/client'
import { Bucket } from './bucket.ts'
import type { Shared } from './shared.ts'

/** A resource and selectors: what an entry is of, beside its key (rule N2). Exact views are decoded apart. */
export class Kind {
  readonly view: View
  readonly shared: Shared
  readonly resource: string
  /** For reflectors: what fails is told by the entry, with its key, and once. */
  readonly environment: Environment
  /** By namespace; `''` where there are none. */
  readonly buckets: Map<string, Bucket> = new Map<string, Bucket>()

  constructor(view: View, shared: Shared) {
    const { environment } = shared
    this.view = view
    this.shared = shared
    this.resource = resourceName(view.resource)
    this.environment = {
      ...environment,
      random: () => environment.random(),
      onError: (error, context) => {
        const isOfEntry =
          (context.phase === 'list' || context.phase === 'watch') && !(error instanceof InvalidObjectError)
        if (!isOfEntry) environment.onError(error, context)
      },
    }
  }

  bucket(namespace: string | undefined): Bucket {
    const key = namespace ?? ''
    const found = this.buckets.get(key)
    if (found !== undefined) return found
    const bucket = new Bucket(this, namespace)
    this.buckets.set(key, bucket)
    return bucket
  }
}

/** What views share entries. */
export function kindKey({ resource, labels, fields, projection }: View): string {
  const { group, version, plural } = resource
  return JSON.stringify([group, version, plural, labels.text, fields.text, projection.kind === 'exact'])
}
