/** One measurement of one run, by metric name. A metric's unit is in its name; see {@link unitOf}. */
export type Metrics = Readonly<Record<string, number>>

/** A subject of measurements: a program of its own that a process of its own runs. */
export interface Subject {
  /** Stable once given. */
  readonly name: string
  /** The module that measures, a {@link SubjectModule}. */
  readonly module: URL
  /** The metrics that it gives. All of them must come of each run. */
  readonly metrics: readonly string[]
  /** What the module receives, as `context.options`. */
  readonly options?: Readonly<Record<string, string | number | boolean>> | undefined
  /** What Node is started with, for a subject that measures its own process. @default none */
  readonly nodeOptions?: readonly string[] | undefined
  /** Names the objects that it works on, when they are not the bench's. */
  readonly input?: string | undefined
}

/** A promise about medians that the human output marks as kept or missed. */
export interface Target {
  readonly subject: string
  readonly metric: string
  readonly atMost?: number | undefined
  readonly atLeast?: number | undefined
  /** The bound is this many times that subject's metric (default: the same metric). Absent: the bound is absolute. */
  readonly times?: { readonly subject: string; readonly metric?: string | undefined } | undefined
  /** The bound is so much more than that subject's same metric. Not together with `times`. */
  readonly above?: { readonly subject: string } | undefined
}

/** A benchmark as it declares itself. */
export interface Bench {
  readonly name: string
  /** One sentence: the measured thing, and how it is measured. */
  readonly measures: string
  readonly transport: string
  /** How many objects by default; absolute targets are only judged at this number. */
  readonly objects: number
  /** What the objects are: `configmaps` makes the input `configmaps-100000`. */
  readonly of: string
  /** Started in a process of its own before the runs, for all of them. */
  readonly server?: ServerSpec | undefined
  /** A run of a subject past this fails. @default 120_000 */
  readonly runTimeoutMs?: number | undefined
  readonly subjects: readonly Subject[]
  /**
   * Names the best of some subjects: its figure of a metric is that of the best one, each measured in processes of its own. It has
   * none where one of them failed.
   */
  readonly best?: { readonly name: string; readonly of: readonly string[] } | undefined
  readonly targets: readonly Target[]
  /** How it runs in `npm test -- --all`, which looks only whether each subject gives its figures. */
  readonly smallest?: Smallest | undefined
}

/** The smallest size of a benchmark. */
export interface Smallest {
  /** @default 20 */
  readonly objects?: number | undefined
  /** @default all */
  readonly subjects?: readonly string[] | undefined
  /** In place of those that subjects have. @default none */
  readonly options?: Readonly<Record<string, string | number | boolean>> | undefined
}

/** The API server that a bench's subjects talk to. */
export interface ServerSpec {
  /**
   * A real API server, filled through its API with ConfigMaps and as many custom resources (`server/fill-real.ts`). It has
   * to be there: `npm run apiserver`. @default the embedded server
   */
  readonly real?: boolean | undefined
  /** A real one has no objects but the definition of the custom resources: the subjects make their own. @default false */
  readonly empty?: boolean | undefined
  readonly tls: boolean
  /** How many events a watch can be resumed over. @default 0 */
  readonly history?: number | undefined
  /** So many pods for each object are there, too. @default 0 */
  readonly pods?: number | undefined
  /** So many ClusterServiceVersions for each object are there, too. @default 0 */
  readonly clusterServiceVersions?: number | undefined
  /** For each ConfigMap a Secret of its name is there, with the same data. @default false */
  readonly secrets?: boolean | undefined
  /** The ConfigMaps have the labels of shards, and the rings exist (`server/sharded.ts`). @default false */
  readonly shards?: boolean | undefined
  /**
   * A second embedded server has the same objects, and leaves `managedFields` out of answers if it is asked to. They are 40 % of the objects of
   * both. @default false
   */
  readonly optOut?: boolean | undefined
  /**
   * Not the embedded server but one that only sends bytes made before (`server/canned.ts`): a list of ConfigMaps, and a
   * watch that has this to say after it; or `many` objects of a few kinds (`server/many.ts`). @default the embedded server
   */
  readonly canned?: 'events' | 'expired' | 'many' | undefined
}

/** How to reach that server. */
export interface ServerAddress {
  readonly url: string
  /** PEM; absent on plain http. */
  readonly ca?: string | undefined
  readonly token: string
  /** The newest resourceVersion before it was filled: a watch from here receives every object. */
  readonly emptyVersion: string
  /** The second server, if the bench has one. */
  readonly optOut?: ServerAddress | undefined
}

/** What a subject is given in its process. */
export interface SubjectContext {
  readonly objects: number
  readonly options: Readonly<Record<string, string | number | boolean>>
  /** Throws for a bench without a server. */
  server(): ServerAddress
  /** Memory when the process began, before the subject's module was imported. */
  readonly start: MemoryReading
}

/** Bytes of this process after a full collection. */
export interface MemoryReading {
  readonly heap: number
  /** Of buffers, and of others that objects stand for. */
  readonly external: number
  readonly rss: number
  /** Anonymous RSS: without the pages of files, which are shared. As `rss` where the system does not say. */
  readonly anonymous: number
}

/** The shape of a subject's module. */
export interface SubjectModule {
  run(context: SubjectContext): Promise<Metrics>
}

/** The unit that a metric's name ends with; a count has none. */
export function unitOf(metric: string): string {
  if (/(^|_)mb_per_s$/.test(metric)) return 'MB/s'
  if (metric.endsWith('_per_s')) return '1/s'
  if (metric.endsWith('_bytes')) return 'bytes'
  if (metric.endsWith('_ms')) return 'ms'
  if (metric.endsWith('_us')) return 'us'
  return ''
}
