import { type Place, valueAt, within } from './place.ts'

/** The form of a body: the objects of a list, the events of a watch, or one object. */
export type BodyForm = 'list' | 'watch' | 'object'

const metadata = within({
  name: valueAt('name'),
  namespace: valueAt('namespace'),
  resourceVersion: valueAt('resourceVersion'),
})
const object = { kind: valueAt('kind'), code: valueAt('code'), metadata }
/** A row of a Table, which kubectl requests. */
const row = { object: within({ metadata }) }

/** The fields that are read from a JSON body, by the form of the body. */
export const jsonShapes: Readonly<Record<BodyForm, Place>> = {
  list: within({
    items: { elements: within({ metadata }, { end: 'object' }) },
    rows: { elements: within(row, { end: 'object' }) },
  }),
  watch: within(
    { type: valueAt('type'), object: within({ ...object, rows: { elements: within(row) } }) },
    { end: 'object' },
  ),
  object: within(object, { end: 'object' }),
}

/** The length of `k8s\0`, which comes before each `runtime.Unknown`: before a whole body, and before the object of an event. */
const prefix = 4
const typeMeta = within({ 2: valueAt('kind') })
const objectMeta = within({ 1: valueAt('name'), 3: valueAt('namespace'), 6: valueAt('resourceVersion') })
/** A message with metadata. In a Status, the field 6 is the code. */
const message = { 1: objectMeta, 6: { value: 'code', isNumber: true } as const }

/** The same fields in a protobuf body, by their numbers in `runtime` and `meta.v1`. The items of each list are its field 2. */
export const protobufShapes: Readonly<Record<BodyForm, Place>> = {
  list: within({ 2: within({ 2: within({ 1: objectMeta }, { end: 'object' }) }) }, { prefix }),
  watch: within(
    { 1: valueAt('type'), 2: within({ 1: within({ 1: typeMeta, 2: within(message) }, { prefix }) }) },
    { end: 'object' },
  ),
  object: within({ 1: typeMeta, 2: within(message, { end: 'object' }) }, { prefix }),
}
