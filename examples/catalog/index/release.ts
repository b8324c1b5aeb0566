import semver from 'semver'
import { isImageName } from '../registry/reference.ts'
import { isDigest } from '../registry/verified.ts'
import { type Dependency, type Described, type Relations, relationsOf } from './definitions.ts'
import { InvalidIndexError } from './errors.ts'

/** The whole metadata of a release: its ClusterServiceVersion. */
export interface Metadata {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> | null }
  readonly spec: {
    readonly version?: string
    readonly displayName?: string
    readonly replaces?: string
    readonly skips?: readonly string[] | null
    readonly customresourcedefinitions?: Described | null
    readonly apiservicedefinitions?: Described | null
  }
}

/** What the index keeps of a release: enough to find upgrade paths, to resolve what it needs, and to fetch its bundle. */
export interface Pointer extends Relations {
  readonly name: string
  readonly version: string
  /** Of the bundle's manifest. */
  readonly digest: string
  /** Where the bundle is, `REGISTRY/REPOSITORY`. Without it, in the repository of the index. */
  readonly image?: string
  /** One line for people, of 120 characters at most. */
  readonly summary: string
  readonly replaces?: string
  readonly skips?: readonly string[]
  /** Versions that may be upgraded to this release: `>=1.0.0 <1.2.0`. */
  readonly skipRange?: string
}

/** A bundle as it is added: its whole metadata, where it is, and what it depends on. */
export interface Bundle extends Pick<Pointer, 'digest' | 'image'> {
  readonly metadata: Metadata
  readonly dependencies?: readonly Dependency[]
}

/** The pointer to a bundle. @throws InvalidIndexError which names the field that is wrong. */
export function pointerOf(bundle: Bundle): Pointer {
  const { metadata: whole, digest, image, dependencies } = bundle
  const { metadata, spec } = whole
  const annotations = metadata.annotations ?? {}
  const skipRange = annotations['olm.skipRange']
  const summary = [spec.displayName, annotations.description].filter(text => text).join(': ')
  return checkedPointer({
    name: metadata.name,
    version: spec.version ?? '0.0.0',
    digest,
    ...(image !== undefined && { image }),
    summary: summary.replace(/\s+/g, ' ').slice(0, 120).toWellFormed().trim(),
    ...(spec.replaces && { replaces: spec.replaces }),
    ...(spec.skips?.length && { skips: [...new Set(spec.skips)].sort() }),
    ...(skipRange && { skipRange }),
    ...relationsOf(whole, dependencies),
  })
}

/** Checks a pointer. @throws InvalidIndexError which names the release and the field. */
export function checkedPointer(pointer: Pointer): Pointer {
  const {
    name,
    version,
    digest,
    image,
    summary,
    replaces,
    skips = [],
    skipRange,
    owns = [],
    needs = [],
    packages = {},
  } = pointer
  const wrong = (field: string, value: unknown): never => {
    throw new InvalidIndexError(`the release ${name} has the ${field} ${JSON.stringify(value)}`)
  }
  if (typeof name !== 'string' || name === '') wrong('name', name)
  if (semver.valid(version) === null) wrong('version', version)
  if (!isDigest(digest)) wrong('digest', digest)
  if (image !== undefined && !isImageName(image)) wrong('image', image)
  if (typeof summary !== 'string') wrong('summary', summary)
  if (replaces !== undefined && typeof replaces !== 'string') wrong('replaces', replaces)
  if (!Array.isArray(skips) || !skips.every(skip => typeof skip === 'string')) wrong('skips', skips)
  if (skipRange !== undefined && semver.validRange(skipRange) === null) wrong('skipRange', skipRange)
  if (!areKinds(owns)) wrong('owns', owns)
  if (!areKinds(needs)) wrong('needs', needs)
  for (const [of, range] of Object.entries(packages)) {
    if (of === '' || semver.validRange(range) === null) wrong('packages', packages)
  }
  return pointer
}

function areKinds(kinds: unknown): boolean {
  return Array.isArray(kinds) && kinds.every(kind => typeof kind === 'string' && /^\w+\.[a-z0-9.-]+\/v\w+$/.test(kind))
}

/** Orders releases by version, then by name. */
export function byVersion(a: Pick<Pointer, 'name' | 'version'>, b: Pick<Pointer, 'name' | 'version'>): number {
  return semver.compareBuild(a.version, b.version) || (a.name < b.name ? -1 : Number(a.name > b.name))
}
