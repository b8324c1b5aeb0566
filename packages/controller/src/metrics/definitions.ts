/** The definition of a metric. */
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
/** As controller-runtime's reconcile times. */
const reconciles = [
  ...[0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1],
  ...[1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60],
]
/** As prom-client's and controller-runtime's default. */
const admissions = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
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

/** All metrics. Metrics that controller-runtime or client-go have, too, have their names and labels (rule C8). */
export const definitions: Readonly<Record<string, MetricDefinition>> = {
  controller_runtime_active_workers: gauge('Keys that are being reconciled.', 'controller'),
  controller_runtime_max_concurrent_reconciles: gauge('Keys that are reconciled at a time at most.', 'controller'),
  controller_runtime_reconcile_errors_total: counter('Reconciles that failed.', 'controller'),
  controller_runtime_reconcile_time_seconds: histogram('Seconds that a reconcile took.', reconciles, 'controller'),
  controller_runtime_reconcile_timeouts_total: counter('Reconciles that took longer than they may.', 'controller'),
  controller_runtime_reconcile_total: counter('Reconciles, by what came of them.', 'controller', 'result'),
  controller_runtime_terminal_reconcile_errors_total: counter('Failures that are not tried again.', 'controller'),
  controller_runtime_webhook_latency_seconds: histogram('Seconds that an admission took.', admissions, 'webhook'),
  controller_runtime_webhook_requests_in_flight: gauge('Admissions that are being answered.', 'webhook'),
  controller_runtime_webhook_requests_total: counter('Admissions, by HTTP status.', 'webhook', 'code'),

  leader_election_master_status: gauge('Whether this process leads: 1, or 0. name is the lease.', 'name'),
  leader_election_slowpath_total: counter('Renewals of a lease that had to read it first.', 'name'),

  rest_client_requests_total: counter('Requests by status, method and host.', 'code', 'method', 'host'),
  rest_client_request_duration_seconds: histogram('Seconds until an answer begins.', requests, 'verb', 'host'),

  workqueue_adds_total: counter('Keys added to the queue.', 'name', 'controller'),
  workqueue_depth: gauge('Keys that are ready, by priority.', 'name', 'controller', 'priority'),
  workqueue_longest_running_processor_seconds: gauge('For how long the longest run goes on.', 'name', 'controller'),
  workqueue_queue_duration_seconds: histogram('Seconds that a ready key waits.', queues, 'name', 'controller'),
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
  watch_manager_registrar_resets_total: counter('Replays of all objects to the registrar.', 'registrar'),
  watch_manager_registrar_retried_total: counter('Deliveries that were tried again.', 'registrar'),
  watch_manager_registrar_retrying_objects: gauge('Objects whose delivery is tried again.', 'registrar'),
  watch_manager_registrar_watched_views: gauge('Views that are watched for a registrar.', 'registrar'),

  wherry_owner_references_dropped_total: counter(
    'Owner references of owned objects that can name no primary object.',
    'controller',
  ),
  wherry_hot_keys: gauge('Keys that do not come to rest, and are slowed down.', 'controller'),
  wherry_loop_runs_total: counter('Runs of keys that do not come to rest, by why.', 'controller', 'cause'),
  wherry_apply_flapping_total: counter('Applied objects that somebody else keeps changing.', 'controller'),

  wherry_cache_cursors: gauge('Cursors over the changes of a view.', 'view'),
  wherry_cache_kept_bytes: gauge('Bytes that the objects of a view take, by estimate.', 'view'),
  wherry_cache_objects: gauge('Objects of a view that are cached.', 'view'),
  wherry_cache_received_bytes: gauge('Bytes of the cached objects of a view, as received.', 'view'),
  wherry_cache_stale_seconds: gauge('For how long the watch of a view has been down; 0 while it is up.', 'view'),
  wherry_cache_synced: gauge('Whether the first state of a view is there: 1, or 0.', 'view'),
  wherry_cache_watches: gauge('Watches of views that are open, or being opened.'),

  wherry_client_connections: gauge('Connections to the API server.', 'lane'),
  wherry_client_connects_total: counter('Connections opened, or not.', 'result'),
  wherry_client_credential_refreshes_total: counter('Refreshes of credentials.'),
  wherry_client_ping_timeouts_total: counter('Connections that did not answer a PING.'),
  wherry_client_resets_total: counter('Streams reset from this side.'),
  wherry_client_retries_total: counter('Requests sent again because they were not processed.'),
  wherry_client_streams: gauge('Requests under way.', 'lane'),

  wherry_clusters: gauge('Clusters that are worked with, by state.', 'state'),

  wherry_copies_drift_repairs_total: counter('Copies that were changed by somebody else, and made equal again.', 'set'),
  wherry_copies_failures_total: counter('Copies that could not be made equal, and are tried again.', 'set'),
  wherry_copies_skipped_writes_total: counter('Copies that were equal.', 'set'),
  wherry_copies_writes_total: counter('Writes of copies.', 'set', 'verb', 'reason'),

  wherry_events_dropped_total: counter('Events that were not recorded.', 'reason'),
  wherry_events_recorded_total: counter('Events that were recorded.', 'type'),
  wherry_informer_transform_failures_total: counter('Objects that a transform threw at.', 'resource'),

  wherry_narrow_deescalations_total: counter('Metadata watches that gave way to watches by name.', 'resource'),
  wherry_narrow_entries: gauge('Objects that are watched by name.'),
  wherry_narrow_escalations_refused_total: counter('Metadata watches that the server refused.', 'resource'),
  wherry_narrow_escalations_total: counter('Metadata watches that took over from watches by name.', 'resource'),
  wherry_narrow_evictions_total: counter('Objects that are no longer watched by name.', 'resource'),
  wherry_narrow_fetches_total: counter('Objects that were fetched since their metadata changed.', 'resource'),
  wherry_narrow_full_total: counter('Reads and subscriptions past max.', 'resource'),
  wherry_narrow_live_gets_total: counter('Reads that asked the server.', 'resource'),
  wherry_narrow_refused_total: counter('Watches by name that the server refused.', 'resource'),
  wherry_narrow_streams: gauge('Streams that are open for watches by name.'),

  wherry_reads_dependencies: gauge('What the keys of a controller depend on, once for each of them.', 'controller'),
  wherry_reads_keys: gauge('Keys of a controller that depend on something.', 'controller'),
  wherry_reads_objects: gauge('Objects that are watched for them.', 'controller'),
  wherry_reads_polled: gauge('Objects that the server is asked for from time to time instead.', 'controller'),

  wherry_shard_info: gauge('1 for the shard that this process is.', 'ring', 'shard'),
  wherry_shard_released_total: counter('Objects that the shard has released for another one.', 'controller'),
  wherry_webhook_bundle_age_seconds: gauge('Seconds since the bundles of a configuration changed.', 'configuration'),
  wherry_webhook_certificate_expiry_seconds: gauge('Seconds until the serving certificate expires.'),
  wherry_webhook_failures_total: counter('Admissions without an answer of the handler, by why.', 'webhook', 'reason'),

  wherry_runs_by_cause_total: counter('Runs of keys, by what began them.', 'controller', 'source', 'change'),
}
