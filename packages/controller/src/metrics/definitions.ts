/** What one metric is. */
export interface MetricDefinition {
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly labels: readonly string[]
  readonly help: string
  /** Upper bounds of a histogram's buckets. */
  readonly buckets?: readonly number[] | undefined
}

/** As client-go's request latencies. */
const requests = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 45, 60]
/** As controller-runtime's queue times: 10 ns to 1,000 s, by tens. */
const queues = Array.from({ length: 12 }, (_, power) => Number(`1e${power - 8}`))
/** A watch lasts minutes. */
const watches = [1, 10, 60, 300, 360, 420, 480, 540, 600, 900]
const items = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000]

const counter = (help: string, ...labels: string[]): MetricDefinition => ({ kind: 'counter', help, labels })
const gauge = (help: string, ...labels: string[]): MetricDefinition => ({ kind: 'gauge', help, labels })
const histogram = (help: string, buckets: readonly number[], ...labels: string[]): MetricDefinition => ({
  kind: 'histogram',
  help,
  labels,
  buckets,
})

/** The metrics that exist, under controller-runtime's and client-go's names and labels where they have one (rule C8). */
export const definitions: Readonly<Record<string, MetricDefinition>> = {
  leader_election_master_status: gauge('Whether this process leads: 1, or 0. name is the lease.', 'name'),
  leader_election_slowpath_total: counter('Renewals of a lease that had to read it first.', 'name'),

  rest_client_requests_total: counter('Requests by status, method and host.', 'code', 'method', 'host'),
  rest_client_request_duration_seconds: histogram('Seconds until an answer begins.', requests, 'verb', 'host'),

  workqueue_adds_total: counter('Keys added to the queue.', 'name', 'controller'),
  workqueue_depth: gauge('Keys that are ready, by priority.', 'name', 'controller', 'priority'),
  workqueue_longest_running_processor_seconds: gauge(
    'For how long the key runs that has run longest.',
    'name',
    'controller',
  ),
  workqueue_queue_duration_seconds: histogram(
    'Seconds from when a key is ready to its run.',
    queues,
    'name',
    'controller',
  ),
  workqueue_retries_total: counter('Keys added to be run later.', 'name', 'controller'),
  workqueue_unfinished_work_seconds: gauge('For how long keys that run have run, in sum.', 'name', 'controller'),
  workqueue_work_duration_seconds: histogram('Seconds that the run of a key takes.', queues, 'name', 'controller'),

  reflector_items_per_list: histogram('Items that a list gave.', items, 'name'),
  reflector_items_per_watch: histogram('Events that a watch gave.', items, 'name'),
  reflector_last_resource_version: gauge('The last resourceVersion that was seen.', 'name'),
  reflector_list_duration_seconds: histogram('Seconds that a list took.', requests, 'name'),
  reflector_lists_total: counter('Lists.', 'name'),
  reflector_relists_total: counter('Lists after the first.', 'name'),
  reflector_rollbacks_total: counter('Servers that went back in time.', 'name'),
  reflector_short_watches_total: counter('Watches that ended early without an event.', 'name'),
  reflector_watch_duration_seconds: histogram('Seconds that a watch lasted.', watches, 'name'),
  reflector_watches_total: counter('Watches.', 'name'),

  watch_manager_intended_watch_gvk: gauge('Types that registrars want watched.'),
  watch_manager_watched_gvk: gauge('Types that are watched.'),
  watch_manager_registrar_delivered_total: counter('Changes delivered to a registrar.', 'registrar'),
  watch_manager_registrar_intended_views: gauge('Views that a registrar wants.', 'registrar'),
  watch_manager_registrar_lag_changes: gauge('Changes that a registrar has not taken yet.', 'registrar'),
  watch_manager_registrar_lag_seconds: gauge('For how long the oldest of them waits.', 'registrar'),
  watch_manager_registrar_resets_total: counter('Registrars that were told everything anew.', 'registrar'),
  watch_manager_registrar_retried_total: counter('Deliveries that were tried again.', 'registrar'),
  watch_manager_registrar_retrying_objects: gauge('Objects whose delivery is tried again.', 'registrar'),
  watch_manager_registrar_watched_views: gauge('Views that are watched for a registrar.', 'registrar'),

  wherry_client_connections: gauge('Connections to the API server.', 'lane'),
  wherry_client_connects_total: counter('Connections opened, or not.', 'result'),
  wherry_client_credential_refreshes_total: counter('Refreshes of credentials.'),
  wherry_client_ping_timeouts_total: counter('Connections that did not answer a PING.'),
  wherry_client_resets_total: counter('Streams reset from this side.'),
  wherry_client_retries_total: counter('Requests sent again because they were not processed.'),
  wherry_client_streams: gauge('Requests under way.', 'lane'),

  wherry_events_dropped_total: counter('Events that were not recorded.', 'reason'),
  wherry_events_recorded_total: counter('Events that were recorded.', 'type'),
  wherry_informer_transform_failures_total: counter('Objects that a transform threw at.', 'resource'),
}

/** Labels that have another name here than where they are measured. */
export const renamed: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  rest_client_request_duration_seconds: { method: 'verb' },
}
