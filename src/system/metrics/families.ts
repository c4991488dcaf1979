interface Family {
  type: 'counter' | 'gauge'
  help: string
  labels?: readonly string[]
}

const gauge = (help: string, labels: readonly string[] = []): Family => ({
  type: 'gauge',
  help,
  labels,
})
/** Falls only when the history is reset, which Prometheus takes as a restart. */
const counter = (help: string, labels: readonly string[] = []): Family => ({
  type: 'counter',
  help,
  labels,
})

const service = ['service'] as const
const client = ['client'] as const
const event = ['event', 'event_id'] as const
const game = ['service', 'game', 'app_id'] as const
const hour = ['hour'] as const

/** Every metric of `/metrics`, by its name. Bytes, seconds and ratios from 0 to 1, as Prometheus expects. */
export const families = {
  lancache_info: gauge('Version of the service; always 1', ['version']),
  lancache_uptime_seconds: gauge('Time since the process started'),
  lancache_last_update_timestamp: gauge('When these figures were read, in Unix seconds'),
  lancache_history_available: gauge('Whether the history answered; its figures are absent if not'),
  process_resident_memory_bytes: gauge('Resident memory of the process'),
  process_cpu_seconds_total: counter('User and system time of the process'),
  process_start_time_seconds: gauge('When the process started, in Unix seconds'),

  lancache_cache_capacity_bytes: gauge('Limit of the cache, or the size of its disk without one'),
  lancache_cache_used_bytes: gauge('Used bytes of the disk of the cache'),
  lancache_cache_free_bytes: gauge('Free bytes of the disk of the cache'),
  lancache_cache_usage_ratio: gauge('Used bytes by capacity, 0 to 1'),
  lancache_cache_growth_daily_bytes: gauge('Average growth of the cache per day'),
  lancache_cache_growth_trend: gauge('-1 shrinking, 0 within 5 percent, 1 growing; last 7 days'),
  lancache_cache_growth_percent_change: gauge(
    'Growth of the cache over the last 7 days, in percent',
  ),
  lancache_cache_until_full_seconds: gauge('Time until the cache is full at its present growth'),

  lancache_downloads_total: counter('Downloads'),
  lancache_bytes_served_total: counter('Bytes served'),
  lancache_cache_hit_bytes_total: counter('Bytes served from the cache'),
  lancache_cache_miss_bytes_total: counter('Bytes downloaded from the internet'),
  lancache_cache_hit_ratio: gauge('Bytes served from the cache by bytes served, 0 to 1'),
  lancache_active_downloads: gauge('Downloads that run, or ended within 5 minutes'),
  lancache_active_clients: gauge('Clients with such a download'),
  lancache_throughput_bytes_per_second: gauge(
    'Bytes of downloads that ended in the last minute, by 60',
  ),
  lancache_download_size_average_bytes: gauge('Average size of a download'),
  lancache_download_size_largest_bytes: gauge('Size of the largest download that is kept'),

  lancache_peak_hour: gauge('Hour of the day with the most bytes, 0 to 23; last 7 days'),
  lancache_peak_hour_downloads: gauge('Downloads of that hour of the day; last 7 days'),
  lancache_current_hour_downloads: gauge('Downloads of the present hour of the day; last 7 days'),
  lancache_peak_time_of_day: gauge('1 for the part of the day with the peak hour', ['period']),
  lancache_hourly_downloads: gauge('Downloads by hour of the day; last 7 days', hour),
  lancache_hourly_bytes: gauge('Bytes served by hour of the day; last 7 days', hour),

  lancache_service_bytes_total: counter('Bytes served', service),
  lancache_service_hit_bytes_total: counter('Bytes served from the cache', service),
  lancache_service_miss_bytes_total: counter('Bytes downloaded from the internet', service),
  lancache_service_downloads_total: counter('Downloads', service),
  lancache_service_hit_ratio: gauge('Bytes served from the cache by bytes served', service),
  lancache_service_active_downloads: gauge('Active downloads', service),

  lancache_client_bytes_total: counter('Bytes served to the ten clients with the most', client),
  lancache_client_downloads_total: counter('Downloads of these clients', client),

  lancache_event_bytes: gauge("Bytes of an event's downloads", event),
  lancache_event_cache_hit_bytes: gauge('Bytes of these served from the cache', event),
  lancache_event_downloads: gauge("An event's downloads", event),
  lancache_event_cache_hit_ratio: gauge('Bytes served from the cache by bytes served', event),

  lancache_game_bytes: gauge('Bytes served', game),
  lancache_game_cache_hit_bytes: gauge('Bytes served from the cache', game),
  lancache_game_cache_miss_bytes: gauge('Bytes downloaded from the internet', game),
  lancache_game_downloads: gauge('Downloads', game),
  lancache_game_cache_hit_ratio: gauge('Bytes served from the cache by bytes served', game),
  lancache_game_active_downloads: gauge('Active downloads', game),
  lancache_game_cache_bytes: gauge('Bytes of the game in the cache', game),
  lancache_game_cache_files: gauge('Cache files of the game', game),
  lancache_games_on_disk_bytes: gauge('Bytes of all games in the cache'),
  lancache_games_on_disk: gauge('Games in the cache'),
  lancache_detection_computed_timestamp: gauge('When games were last detected, in Unix seconds'),
  lancache_alpha_unknown_game_bytes: gauge('Bytes of Steam downloads of no known game'),
  lancache_alpha_unknown_game_downloads: gauge('Steam downloads of no known game'),
} as const satisfies Record<string, Family>

export type MetricName = keyof typeof families

/** One figure; figures of one name with the same labels add up. */
export interface Reading {
  name: MetricName
  value: number
  labels?: Readonly<Record<string, string>>
}
