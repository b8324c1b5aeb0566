import type { CustomResourceColumnDefinition, ValidationRule } from '@wherry/client/resources/apiextensions'
import type { AnySchema } from '../schema/from-standard.ts'

/** The schemas and settings of a version of a custom resource. */
export interface VersionOptions {
  /** The schema of `spec`: of a library that speaks Standard JSON Schema, or a plain JSON Schema. */
  readonly spec: AnySchema
  /** The schema of `status`, which is then a subresource with writes of its own. @default no status */
  readonly status?: AnySchema | undefined
  /** The paths of the numbers of replicas, for `kubectl scale` and autoscalers. @default objects can't be scaled */
  readonly scale?: ScalePaths | undefined
  /** The columns of `kubectl get`, after the name. @default the age */
  readonly printColumns?: readonly PrintColumn[] | undefined
  /** Fields that a field selector may name, as JSON paths: `.spec.difficulty`. The server wants a string, an integer or a boolean. @default none */
  readonly selectableFields?: readonly string[] | undefined
  /** CEL rules for the whole object, for example of `self.metadata.name`. @default none */
  readonly validations?: readonly ValidationRule[] | undefined
  /** The description of the kind in `kubectl explain`. */
  readonly description?: string | undefined
}

/** A further version. */
export interface OtherVersionOptions extends VersionOptions {
  /** Whether clients can use the version. @default true */
  readonly served?: boolean | undefined
  /** The warning for clients that use the version: this text, or for `true` the server's text. @default false */
  readonly deprecated?: boolean | string | undefined
}

/** The options of {@link defineCustomResource}. */
export interface CustomResourceOptions extends VersionOptions {
  /** The API group, a domain of yours: `arcade.example.com`. */
  readonly group: string
  /** The version that objects are stored in, and that the view reads: `v1`. */
  readonly version: string
  /** The kind, in singular and CamelCase: `Game`. */
  readonly kind: string
  /** The name in paths: `games`. */
  readonly plural: string
  /** Whether each object is in a namespace. */
  readonly namespaced: boolean
  /** The kind of a list of the objects. By this kind, a view checks that an answer is the requested list. @default the kind and `List` */
  readonly listKind?: string | undefined
  /** Short forms for kubectl. @default none */
  readonly shortNames?: readonly string[] | undefined
  /** Groups of resources that kubectl lists together: `all`. @default none */
  readonly categories?: readonly string[] | undefined
  /**
   * Further versions, by name. The server changes only `apiVersion` when it serves another version: if the fields differ, give the definition a conversion
   * webhook. @default none
   */
  readonly versions?: Readonly<Record<string, OtherVersionOptions>> | undefined
  /** Annotations of the definition. @default none */
  readonly annotations?: Readonly<Record<string, string>> | undefined
}

/** JSON paths of an object's fields: `.spec.players`. */
export interface ScalePaths {
  readonly specReplicasPath: string
  readonly statusReplicasPath: string
  /** A field of the status or the spec that holds a label selector as text. @default none, although a HorizontalPodAutoscaler needs this field */
  readonly labelSelectorPath?: string | undefined
}

/** A column of `kubectl get`. */
export interface PrintColumn extends Omit<CustomResourceColumnDefinition, 'type'> {
  /** The type of the column. @default the type in the schema for a path of plain fields; `string` for other paths */
  readonly type?: 'integer' | 'number' | 'string' | 'boolean' | 'date' | undefined
}
