import { InvalidBundleImageError } from './errors.ts'

const prefix = 'operators.operatorframework.io.bundle'

/** What a bundle says of itself. */
export interface BundleAnnotations {
  readonly package: string
  readonly channels: readonly string[]
  readonly defaultChannel?: string | undefined
}

type Texts = Readonly<Record<string, unknown>>

/**
 * What a bundle image says of itself: by the annotations in its `metadata/annotations.yaml`, and by the labels of its configuration where those
 * say nothing.
 *
 * @throws InvalidBundleImageError which names the annotation
 */
export function annotationsOf(annotations: Texts, labels: Texts): BundleAnnotations {
  const of = (key: string): string => {
    const value = annotations[`${prefix}.${key}.v1`] ?? labels[`${prefix}.${key}.v1`]
    return typeof value === 'string' ? value.trim() : ''
  }
  const must = (key: string, expected: string): void => {
    const found = of(key).replace(/\/$/, '')
    if (found !== '' && found !== expected) {
      throw new InvalidBundleImageError(`it has ${prefix}.${key}.v1 ${JSON.stringify(found)}, and not ${expected}`)
    }
  }
  must('mediatype', 'registry+v1')
  must('manifests', 'manifests')
  must('metadata', 'metadata')
  const channels = of('channels')
    .split(',')
    .map(one => one.trim())
  const found = {
    package: of('package'),
    channels: [...new Set(channels.filter(one => one !== ''))],
    defaultChannel: of('channel.default') || undefined,
  }
  const missing = found.package === '' ? 'package' : found.channels.length === 0 ? 'channels' : undefined
  if (missing === undefined) return found
  throw new InvalidBundleImageError(`neither its metadata/annotations.yaml nor its labels have ${prefix}.${missing}.v1`)
}
