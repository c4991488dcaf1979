-- The history's roll-ups: tables that only the triggers of this file write, in the transaction of the
-- rows they come from. A year of a report then reads hours x services instead of downloads.
--
--   shipper ──> traffic       5 minutes ──> service_quarter      15 minutes; zones with odd offsets
--           │
--           ├─> traffic_hour  1 hour ─────> client_hour          without excluded clients
--           │                     └───────> service_hour         charts and cards of days and weeks
--           │                                 └─> time_hour      sums over time
--           │                                       ├─> time_day     the same by day
--           │                                       ├─> hour_block   hours of the day by 8 days
--           │                                       └─> day_peak     busiest hour of each day
--           │
--           ├─> traffic_day   1 day ──────> title_day            years of one game
--           │                     └───────> client_service_day   services without excluded clients
--           │                                 ├─> service_day    charts and cards of years
--           │                                 ├─> client_day     clients, years without some of them
--           │                                 └─> *_block        the three before by 64 days: many years
--           │
--           └─> downloads ────────────────> download_groups      groups of the downloads list, per
--                     │                     ├> title_groups      8 and 64 days, and of all time;
--                     │                     │                    the same without client
--                     │                     └> download_blocks   8 days: sums without title
--                     └ (deletes) ────────> download_objects     keys of what a download touched
--
-- traffic, traffic_hour and traffic_day hold the same sums by datasource, service, client and title;
-- the shipper adds to all three. This file runs after the migrations whenever it has changed. What is
-- already summed stays as it is: who changes what is summed fills the table again in a migration.
-- Sums outlive their rows: retention (src/downloads/history-retention) deletes old downloads and traffic of
-- five minutes with larder.keeps_sums on, so sums of old times cannot be made again.
--
-- Names are those of the installation's schema: it is the search path of every connection that runs this
-- file, and each function keeps it, whoever calls it later.

-- Citus asks before it creates triggers on a distributed table, because the rows that they reach may lie
-- on another machine. All tables of a distributed schema lie on one.
SELECT set_config('citus.enable_unsafe_triggers', 'on', true)
WHERE current_setting('citus.enable_unsafe_triggers', true) IS NOT NULL;

-- Keeps each day's busiest hour without prefill, the first of equal ones. A busier hour takes its place;
-- where one loses bytes, the hours of its day are read again, after the row of the day is deleted: that
-- waits for other writers, and the next statement sees what they have committed.
CREATE OR REPLACE FUNCTION report_fold_peaks() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
	lowered timestamptz[];
BEGIN
	IF TG_OP <> 'DELETE' THEN
		INSERT INTO day_peak AS kept (bucket_at, hour_at, hit_bytes, miss_bytes)
		SELECT DISTINCT ON (1) date_bin('1 day', bucket_at, '1970-01-01 00:00:00+00'), bucket_at, hit_bytes, miss_bytes
		FROM new_rows WHERE NOT is_prefill ORDER BY 1, hit_bytes + miss_bytes DESC, bucket_at
		ON CONFLICT (bucket_at) DO UPDATE
			SET hour_at = excluded.hour_at, hit_bytes = excluded.hit_bytes, miss_bytes = excluded.miss_bytes
			WHERE excluded.hit_bytes + excluded.miss_bytes > kept.hit_bytes + kept.miss_bytes
				OR (excluded.hit_bytes + excluded.miss_bytes = kept.hit_bytes + kept.miss_bytes
					AND excluded.hour_at <= kept.hour_at);
	END IF;
	IF TG_OP = 'INSERT' THEN
		RETURN NULL;
	END IF;
	IF TG_OP = 'DELETE' THEN
		SELECT array_agg(DISTINCT date_bin('1 day', bucket_at, '1970-01-01 00:00:00+00')) INTO lowered
		FROM old_rows WHERE NOT is_prefill;
	ELSE
		-- Without a join, whose kept plan could suit a few rows only.
		SELECT array_agg(DISTINCT date_bin('1 day', bucket_at, '1970-01-01 00:00:00+00')) INTO lowered
		FROM (
			SELECT bucket_at FROM (
				SELECT bucket_at, hit_bytes + miss_bytes AS lost FROM old_rows WHERE NOT is_prefill
				UNION ALL SELECT bucket_at, -hit_bytes - miss_bytes FROM new_rows WHERE NOT is_prefill
			) AS changed GROUP BY bucket_at HAVING sum(lost) > 0
		) AS hours;
	END IF;
	IF lowered IS NULL THEN
		RETURN NULL;
	END IF;
	DELETE FROM day_peak WHERE bucket_at = ANY(lowered);
	INSERT INTO day_peak (bucket_at, hour_at, hit_bytes, miss_bytes)
	SELECT day, busiest.*
	FROM unnest(lowered) AS day CROSS JOIN LATERAL (
		SELECT bucket_at, hit_bytes, miss_bytes FROM time_hour
		WHERE bucket_at >= day AND bucket_at < day + interval '24 hours' AND NOT is_prefill
		ORDER BY hit_bytes + miss_bytes DESC, bucket_at LIMIT 1
	) AS busiest;
	RETURN NULL;
END $$;

-- Number of the block of so many days since 1970 that an instant is in; span 0 is all time. Depends on
-- no setting, so that it becomes a part of queries: a parsed body (RETURN) is bound to its names without
-- a search path of its own, which would prevent that.
CREATE OR REPLACE FUNCTION download_block(span_days integer, at timestamp with time zone) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE span_days WHEN 0 THEN 0 ELSE floor(date_part('epoch', at - '1970-01-01 00:00:00+00'::timestamptz) / 86400 / span_days)::integer END;

-- Class of a download: 0 without bytes, 1 mostly from the cache, 2 mostly from the internet.
CREATE OR REPLACE FUNCTION download_kind(hit_bytes bigint, miss_bytes bigint) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (CASE WHEN hit_bytes + miss_bytes = 0 THEN 0 WHEN hit_bytes >= miss_bytes THEN 1 ELSE 2 END)::smallint;

-- Adds what a statement changed in downloads to download_groups and title_groups, at every span:
-- straight to the partitions, and summed once where a batch lies in one block; and to download_blocks.
CREATE OR REPLACE FUNCTION report_fold_downloads() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
	changed text := CASE TG_OP
		WHEN 'INSERT' THEN 'SELECT 1 AS sign, * FROM new_rows'
		WHEN 'DELETE' THEN 'SELECT -1 AS sign, * FROM old_rows'
		ELSE 'SELECT 1 AS sign, * FROM new_rows UNION ALL SELECT -1, * FROM old_rows'
	END;
	-- Rows that left a group, or one of its bounds.
	departed text := CASE TG_OP
		WHEN 'DELETE' THEN 'SELECT * FROM old_rows'
		ELSE 'SELECT old_rows.* FROM old_rows JOIN new_rows USING (id)
			WHERE (old_rows.title_key, old_rows.client, old_rows.service, old_rows.is_prefill,
				download_kind(old_rows.hit_bytes, old_rows.miss_bytes))
				<> (new_rows.title_key, new_rows.client, new_rows.service, new_rows.is_prefill,
				download_kind(new_rows.hit_bytes, new_rows.miss_bytes))
			OR old_rows.started_at <> new_rows.started_at OR old_rows.ended_at > new_rows.ended_at'
	END;
	sums text := 'downloads, evicted, hit_bytes, miss_bytes, timed_bytes, speed_weight, first_at, last_at';
	added text := 'sum(downloads)::bigint AS downloads, sum(evicted)::bigint AS evicted,
		sum(hit_bytes)::bigint AS hit_bytes, sum(miss_bytes)::bigint AS miss_bytes,
		sum(timed_bytes)::bigint AS timed_bytes, sum(speed_weight) AS speed_weight,
		min(first_at) AS first_at, max(last_at) AS last_at';
	keys text := 'title_key, client, service, is_prefill, kind';
	title_keys text := 'title_key, service, is_prefill, kind';
	-- Adds the blocks of 8 days to those of a longer span, or to all time.
	regrouped text := added || ' FROM delta GROUP BY 2, 3, 4, 5, 6, 7';
	title_regrouped text := added || ' FROM title_delta GROUP BY 2, 3, 4, 5, 6';
	add_to text := 'INSERT INTO %1$s_%2$s AS kept (span_days, block, %5$s, %6$s)
		SELECT %2$s, %3$s, %5$s, %4$s ORDER BY 2, 3, 4, 5, 6
		ON CONFLICT (span_days, block, %5$s) DO UPDATE SET
			downloads = kept.downloads + excluded.downloads,
			evicted = kept.evicted + excluded.evicted,
			hit_bytes = kept.hit_bytes + excluded.hit_bytes,
			miss_bytes = kept.miss_bytes + excluded.miss_bytes,
			timed_bytes = kept.timed_bytes + excluded.timed_bytes,
			speed_weight = kept.speed_weight + excluded.speed_weight,
			first_at = least(kept.first_at, excluded.first_at),
			last_at = greatest(kept.last_at, excluded.last_at)';
	of_64 text := 'floor(block * 8.0 / 64)::integer';
BEGIN
	IF current_setting('larder.keeps_sums', true) = 'on' THEN
		RETURN NULL;
	END IF;
	IF TG_OP <> 'DELETE' THEN
		IF NOT EXISTS (SELECT 1 FROM new_rows) THEN
			RETURN NULL;
		END IF;
	END IF;
	IF TG_OP = 'INSERT' THEN
		IF (SELECT min(download_block(8, started_at)) = max(download_block(8, started_at)) FROM new_rows) THEN
			-- Groups of one block are the same in every span.
			regrouped := sums || ' FROM delta';
			title_regrouped := sums || ' FROM title_delta';
		END IF;
	END IF;
	EXECUTE format('WITH delta AS MATERIALIZED (
			SELECT download_block(8, started_at) AS block, title_key, client, service, is_prefill,
				download_kind(hit_bytes, miss_bytes) AS kind, sum(sign) AS downloads,
				coalesce(sum(sign) FILTER (WHERE is_evicted), 0) AS evicted,
				sum(sign * hit_bytes)::bigint AS hit_bytes, sum(sign * miss_bytes)::bigint AS miss_bytes,
				coalesce(sum(sign * size) FILTER (WHERE seconds > 0), 0)::bigint AS timed_bytes,
				coalesce(sum(sign * size::float8 * size / nullif(seconds, 0)), 0) AS speed_weight,
				min(started_at) AS first_at, max(ended_at) AS last_at
			FROM (
				SELECT *, hit_bytes + miss_bytes AS size,
					extract(epoch FROM ended_at - started_at)::float8 AS seconds
				FROM (%s) AS rows
			) AS changed
			GROUP BY 1, 2, 3, 4, 5, 6
		), title_delta AS MATERIALIZED (
			SELECT block, %s FROM delta GROUP BY 1, 2, 3, 4, 5
		), of_all AS (%s), of_8 AS (%s), titles_of_all AS (%s), titles_of_8 AS (%s), titles_of_64 AS (%s), blocks AS (
			INSERT INTO download_blocks AS kept
				(of_all, client, block, service, has_depot, is_prefill, kind, downloads, hit_bytes, miss_bytes, last_at)
			SELECT grouping(client) = 1, coalesce(client, ''''), block, service,
				starts_with(title_key, ''alpha:''), is_prefill, kind, sum(downloads), sum(hit_bytes),
				sum(miss_bytes), max(last_at)
			FROM delta
			GROUP BY GROUPING SETS ((client, block, service, starts_with(title_key, ''alpha:''), is_prefill, kind),
				(block, service, starts_with(title_key, ''alpha:''), is_prefill, kind))
			ORDER BY 1, 2, 3, 4, 5, 6, 7
			ON CONFLICT (of_all, client, block, service, has_depot, is_prefill, kind) DO UPDATE SET
				downloads = kept.downloads + excluded.downloads,
				hit_bytes = kept.hit_bytes + excluded.hit_bytes,
				miss_bytes = kept.miss_bytes + excluded.miss_bytes,
				last_at = greatest(kept.last_at, excluded.last_at)
		) %s',
		changed, title_keys || ', ' || added,
		format(add_to, 'download_groups', 0, '0', regrouped, keys, sums),
		format(add_to, 'download_groups', 8, 'block', sums || ' FROM delta', keys, sums),
		format(add_to, 'title_groups', 0, '0', title_regrouped, title_keys, sums),
		format(add_to, 'title_groups', 8, 'block', sums || ' FROM title_delta', title_keys, sums),
		format(add_to, 'title_groups', 64, of_64, title_regrouped, title_keys, sums),
		format(add_to, 'download_groups', 64, of_64, regrouped, keys, sums));
	IF TG_OP = 'INSERT' THEN
		RETURN NULL;
	END IF;
	-- Groups that lost members: nothing stays of the empty ones, the others may have new bounds.
	EXECUTE format('WITH gone AS MATERIALIZED (
			SELECT span_days, download_block(span_days, started_at) AS block, title_key, client,
				service, is_prefill, download_kind(hit_bytes, miss_bytes) AS kind,
				min(started_at) AS first_at, max(ended_at) AS last_at
			FROM (%s) AS departed CROSS JOIN (VALUES (0), (8), (64)) AS spans(span_days)
			GROUP BY 1, 2, 3, 4, 5, 6, 7
		), emptied AS (
			DELETE FROM download_groups AS kept USING gone
			WHERE kept.downloads = 0 AND kept.span_days = gone.span_days AND kept.block = gone.block
				AND kept.title_key = gone.title_key AND kept.client = gone.client
				AND kept.service = gone.service AND kept.is_prefill = gone.is_prefill
				AND kept.kind = gone.kind
		), emptied_blocks AS (
			DELETE FROM download_blocks AS kept USING gone
			WHERE kept.downloads = 0 AND gone.span_days = 8 AND NOT kept.of_all
				AND kept.client = gone.client AND kept.block = gone.block
				AND kept.service = gone.service AND kept.is_prefill = gone.is_prefill
				AND kept.kind = gone.kind
		)
		UPDATE download_groups AS kept SET
			first_at = CASE WHEN gone.first_at > kept.first_at THEN kept.first_at ELSE coalesce((
				SELECT min(d.started_at) FROM downloads d
				WHERE d.title_key = kept.title_key AND d.client = kept.client
					AND d.service = kept.service AND d.is_prefill = kept.is_prefill
					AND download_kind(d.hit_bytes, d.miss_bytes) = kept.kind
					AND download_block(kept.span_days, d.started_at) = kept.block
					AND d.ended_at >= kept.first_at), kept.first_at) END,
			last_at = CASE WHEN gone.last_at < kept.last_at THEN kept.last_at ELSE coalesce((
				SELECT d.ended_at FROM downloads d
				WHERE d.title_key = kept.title_key AND d.client = kept.client
					AND d.service = kept.service AND d.is_prefill = kept.is_prefill
					AND download_kind(d.hit_bytes, d.miss_bytes) = kept.kind
					AND download_block(kept.span_days, d.started_at) = kept.block
				ORDER BY d.ended_at DESC LIMIT 1), kept.last_at) END
		FROM gone
		WHERE kept.downloads > 0 AND kept.span_days = gone.span_days AND kept.block = gone.block
			AND kept.title_key = gone.title_key AND kept.client = gone.client
			AND kept.service = gone.service AND kept.is_prefill = gone.is_prefill
			AND kept.kind = gone.kind
			AND (gone.first_at <= kept.first_at OR gone.last_at >= kept.last_at)', departed);
	-- Their titles take the bounds of the groups that are left.
	EXECUTE format('WITH gone AS MATERIALIZED (
			SELECT DISTINCT span_days, download_block(span_days, started_at) AS block, title_key,
				service, is_prefill, download_kind(hit_bytes, miss_bytes) AS kind
			FROM (%s) AS departed CROSS JOIN (VALUES (0), (8), (64)) AS spans(span_days)
		), emptied AS (
			DELETE FROM title_groups AS kept USING gone
			WHERE kept.downloads = 0 AND kept.span_days = gone.span_days AND kept.block = gone.block
				AND kept.title_key = gone.title_key AND kept.service = gone.service
				AND kept.is_prefill = gone.is_prefill AND kept.kind = gone.kind
		)
		UPDATE title_groups AS kept SET first_at = left_over.first_at, last_at = left_over.last_at
		FROM gone CROSS JOIN LATERAL (
			SELECT min(g.first_at) AS first_at, max(g.last_at) AS last_at FROM download_groups g
			WHERE g.span_days = gone.span_days AND g.block = gone.block
				AND g.title_key = gone.title_key AND g.service = gone.service
				AND g.is_prefill = gone.is_prefill AND g.kind = gone.kind
		) AS left_over
		WHERE kept.downloads > 0 AND kept.span_days = gone.span_days AND kept.block = gone.block
			AND kept.title_key = gone.title_key AND kept.service = gone.service
			AND kept.is_prefill = gone.is_prefill AND kept.kind = gone.kind
			AND (kept.first_at, kept.last_at) <> (left_over.first_at, left_over.last_at)', departed);
	RETURN NULL;
END $$;

-- A foreign key would look up the download of every shipped row, and delete row by row.
CREATE OR REPLACE FUNCTION delete_download_objects() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
	DELETE FROM download_objects USING old_rows WHERE download_id = old_rows.id;
	RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION report_truncate() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
	EXECUTE format('TRUNCATE %s', array_to_string(TG_ARGV, ', '));
	RETURN NULL;
END $$;

-- The arrows of the picture above. Triggers of an earlier version of this file are removed.
--
-- report_fold_<roll-up> adds what a statement changed in a table of sums to one of its roll-ups. Each is a
-- function of its own, because the plans of statements that are put together at every call are not kept:
-- making them again for every batch cost an import 4 % and more. Sums follow deletions; first_at and last_at only widen.
-- An upsert runs the triggers of insertions and of updates: one of them often has nothing to add.
DO $$
DECLARE
	name text;
	source text;
	target text;
	keys text;
	start_of text;
	handler text;
	-- Arguments: the roll-up, its key, the start of its buckets, the key without the bucket.
	add_rows text := 'INSERT INTO %1$I AS kept (%2$s, hit_bytes, miss_bytes, requests, downloads, first_at, last_at)
			SELECT %2$s, sum(sign * hit_bytes), sum(sign * miss_bytes), sum(sign * requests),
				sum(sign * downloads), min(first_at), max(last_at)
			FROM (
				SELECT sign, %3$s AS bucket_at, %4$s, hit_bytes, miss_bytes, requests, downloads, first_at, last_at
				FROM (%5$s) AS rows
			) AS changed GROUP BY %2$s ORDER BY %2$s
			ON CONFLICT (%2$s) DO UPDATE SET
				hit_bytes = kept.hit_bytes + excluded.hit_bytes,
				miss_bytes = kept.miss_bytes + excluded.miss_bytes,
				requests = kept.requests + excluded.requests,
				downloads = kept.downloads + excluded.downloads,
				first_at = least(kept.first_at, excluded.first_at),
				last_at = greatest(kept.last_at, excluded.last_at)';
	added text := 'SELECT 1 AS sign, * FROM new_rows';
	removed text := 'SELECT -1 AS sign, * FROM old_rows';
	drop_empty text := 'DELETE FROM %1$I
			WHERE (%2$s) IN (SELECT %2$s FROM (SELECT %3$s AS bucket_at, %4$s FROM old_rows) AS gone)
			AND hit_bytes = 0 AND miss_bytes = 0 AND requests = 0 AND downloads = 0';
	others text;
	block text := 'date_bin(''64 days'', bucket_at, ''1970-01-01 00:00:00+00'')';
	day text := 'date_bin(''1 day'', bucket_at, ''1970-01-01 00:00:00+00'')';
	-- The same hour on the first day of its block.
	hour_of_block text := format('date_bin(''8 days'', bucket_at, ''1970-01-01 00:00:00+00'') + (bucket_at - %s)', day);
BEGIN
	FOR name, source IN
		SELECT tgname, tgrelid::regclass FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid
		WHERE NOT tgisinternal AND tgparentid = 0
			AND tgrelid IN ('traffic'::regclass, 'traffic_hour'::regclass, 'traffic_day'::regclass, 'downloads'::regclass,
				'service_hour'::regclass, 'time_hour'::regclass, 'service_day'::regclass, 'client_day'::regclass,
				'client_service_day'::regclass)
			AND (proname ^@ 'report_' OR proname = 'delete_download_objects')
	LOOP
		EXECUTE format('DROP TRIGGER %I ON %s', name, source);
	END LOOP;
	DROP FUNCTION IF EXISTS report_fold_traffic();

	FOR source, target, keys, start_of IN VALUES
		('traffic', 'service_quarter', 'bucket_at, service, is_prefill',
			'date_bin(''15 minutes'', bucket_at, ''2000-01-01 00:00:00+00'')'),
		('traffic_hour', 'service_hour', 'bucket_at, service, is_prefill', 'bucket_at'),
		('traffic_hour', 'client_hour', 'bucket_at, client, is_prefill', 'bucket_at'),
		('service_hour', 'time_hour', 'bucket_at, is_prefill', 'bucket_at'),
		('time_hour', 'time_day', 'bucket_at, is_prefill', day),
		('time_hour', 'hour_block', 'bucket_at, is_prefill', hour_of_block),
		('time_hour', 'day_peak', NULL, NULL),
		('traffic_day', 'title_day', 'bucket_at, title_key, service, is_prefill', 'bucket_at'),
		('traffic_day', 'client_service_day', 'bucket_at, client, service, is_prefill', 'bucket_at'),
		('client_service_day', 'service_day', 'bucket_at, service, is_prefill', 'bucket_at'),
		('client_service_day', 'client_day', 'bucket_at, client, is_prefill', 'bucket_at'),
		('service_day', 'service_block', 'bucket_at, service, is_prefill', block),
		('client_day', 'client_block', 'bucket_at, client, is_prefill', block),
		('client_service_day', 'client_service_block', 'bucket_at, client, service, is_prefill', block),
		('downloads', 'download_groups', NULL, NULL),
		('downloads', 'download_objects', NULL, NULL)
	LOOP
		handler := CASE target
			WHEN 'download_groups' THEN 'report_fold_downloads()'
			WHEN 'download_objects' THEN 'delete_download_objects()'
			WHEN 'day_peak' THEN 'report_fold_peaks()'
			ELSE format('report_fold_%s()', target)
		END;
		IF keys IS NOT NULL THEN
			others := replace(keys, 'bucket_at, ', '');
			EXECUTE format('CREATE OR REPLACE FUNCTION %s RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS %L',
				handler, format('BEGIN
					IF TG_OP = ''DELETE'' THEN
						%s;
						%s;
					ELSIF NOT EXISTS (SELECT 1 FROM new_rows) THEN
						RETURN NULL;
					ELSIF TG_OP = ''INSERT'' THEN
						%s;
					ELSE
						%s;
					END IF;
					RETURN NULL;
				END',
				format(add_rows, target, keys, start_of, others, removed),
				format(drop_empty, target, keys, start_of, others),
				format(add_rows, target, keys, start_of, others, added),
				format(add_rows, target, keys, start_of, others, added || ' UNION ALL ' || removed)));
		END IF;
		IF target <> 'download_objects' THEN
			EXECUTE format('CREATE TRIGGER %I AFTER INSERT ON %I REFERENCING NEW TABLE AS new_rows
				FOR EACH STATEMENT EXECUTE FUNCTION %s', target || '_insert', source, handler);
			EXECUTE format('CREATE TRIGGER %I AFTER UPDATE ON %I
				REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
				FOR EACH STATEMENT EXECUTE FUNCTION %s', target || '_update', source, handler);
		END IF;
		EXECUTE format('CREATE TRIGGER %I AFTER DELETE ON %I REFERENCING OLD TABLE AS old_rows
			FOR EACH STATEMENT EXECUTE FUNCTION %s', target || '_delete', source, handler);
		EXECUTE format('CREATE TRIGGER %I AFTER TRUNCATE ON %I
			FOR EACH STATEMENT EXECUTE FUNCTION report_truncate(%s)', target || '_truncate', source,
			CASE target WHEN 'download_groups' THEN '''download_groups'', ''title_groups'', ''download_blocks''' ELSE quote_literal(target) END);
	END LOOP;
END $$;
