CREATE TABLE "client_day" (
	"bucket_at" timestamp with time zone NOT NULL,
	"client" text NOT NULL,
	"is_prefill" boolean NOT NULL,
	"hit_bytes" bigint NOT NULL,
	"miss_bytes" bigint NOT NULL,
	"requests" bigint NOT NULL,
	"downloads" bigint NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "client_day_bucket_at_client_is_prefill_pk" PRIMARY KEY("bucket_at","client","is_prefill")
);
--> statement-breakpoint
CREATE TABLE "download_groups" (
	"title_key" text NOT NULL,
	"client" text NOT NULL,
	"service" text NOT NULL,
	"is_prefill" boolean NOT NULL,
	"downloads" bigint NOT NULL,
	"mostly_hit" bigint NOT NULL,
	"evicted" bigint NOT NULL,
	"hit_bytes" bigint NOT NULL,
	"miss_bytes" bigint NOT NULL,
	"timed_bytes" bigint NOT NULL,
	"speed_weight" double precision NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "download_groups_title_key_client_service_is_prefill_pk" PRIMARY KEY("title_key","client","service","is_prefill")
);
--> statement-breakpoint
CREATE TABLE "service_day" (
	"bucket_at" timestamp with time zone NOT NULL,
	"service" text NOT NULL,
	"is_prefill" boolean NOT NULL,
	"hit_bytes" bigint NOT NULL,
	"miss_bytes" bigint NOT NULL,
	"requests" bigint NOT NULL,
	"downloads" bigint NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "service_day_bucket_at_service_is_prefill_pk" PRIMARY KEY("bucket_at","service","is_prefill")
);
--> statement-breakpoint
CREATE TABLE "service_hour" (
	"bucket_at" timestamp with time zone NOT NULL,
	"service" text NOT NULL,
	"is_prefill" boolean NOT NULL,
	"hit_bytes" bigint NOT NULL,
	"miss_bytes" bigint NOT NULL,
	"requests" bigint NOT NULL,
	"downloads" bigint NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "service_hour_bucket_at_service_is_prefill_pk" PRIMARY KEY("bucket_at","service","is_prefill")
);
--> statement-breakpoint
CREATE TABLE "service_quarter" (
	"bucket_at" timestamp with time zone NOT NULL,
	"service" text NOT NULL,
	"is_prefill" boolean NOT NULL,
	"hit_bytes" bigint NOT NULL,
	"miss_bytes" bigint NOT NULL,
	"requests" bigint NOT NULL,
	"downloads" bigint NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "service_quarter_bucket_at_service_is_prefill_pk" PRIMARY KEY("bucket_at","service","is_prefill")
);
--> statement-breakpoint
CREATE INDEX "downloads_title_client" ON "downloads" USING btree ("title_key","client","ended_at");
--> statement-breakpoint
-- Every batch updates the same rows again: room in each page keeps the tables from growing.
ALTER TABLE "service_quarter" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE "service_hour" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE "service_day" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE "client_day" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE "download_groups" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
-- Adds what a statement changed in a traffic table to a table with fewer keys. Arguments: the table,
-- its keys, and the start of its buckets if they are wider. Sums follow deletions; first_at and last_at only ever widen.
CREATE FUNCTION "report_fold_traffic"() RETURNS trigger LANGUAGE plpgsql SET search_path = public AS $$
DECLARE
	target text := TG_ARGV[0];
	keys text := TG_ARGV[1];
	changed text := CASE TG_OP
		WHEN 'INSERT' THEN 'SELECT 1 AS sign, * FROM new_rows'
		WHEN 'DELETE' THEN 'SELECT -1 AS sign, * FROM old_rows'
		ELSE 'SELECT 1 AS sign, * FROM new_rows UNION ALL SELECT -1, * FROM old_rows'
	END;
	start_of text := coalesce(TG_ARGV[2], 'bucket_at');
BEGIN
	EXECUTE format('INSERT INTO %1$I AS kept
			(%2$s, hit_bytes, miss_bytes, requests, downloads, first_at, last_at)
		SELECT %2$s, sum(sign * hit_bytes), sum(sign * miss_bytes), sum(sign * requests),
			sum(sign * downloads), min(first_at), max(last_at)
		FROM (
			SELECT sign, %4$s AS bucket_at, service, client, is_prefill, hit_bytes, miss_bytes,
				requests, downloads, first_at, last_at FROM (%3$s) AS rows
		) AS changed GROUP BY %2$s ORDER BY %2$s
		ON CONFLICT (%2$s) DO UPDATE SET
			hit_bytes = kept.hit_bytes + excluded.hit_bytes,
			miss_bytes = kept.miss_bytes + excluded.miss_bytes,
			requests = kept.requests + excluded.requests,
			downloads = kept.downloads + excluded.downloads,
			first_at = least(kept.first_at, excluded.first_at),
			last_at = greatest(kept.last_at, excluded.last_at)', target, keys, changed, start_of);
	IF TG_OP = 'DELETE' THEN
		EXECUTE format('DELETE FROM %1$I
			WHERE (%2$s) IN (SELECT %2$s FROM (SELECT %3$s AS bucket_at, service, client, is_prefill
				FROM old_rows) AS gone)
			AND hit_bytes = 0 AND miss_bytes = 0 AND requests = 0 AND downloads = 0', target, keys, start_of);
	END IF;
	RETURN NULL;
END $$;
--> statement-breakpoint
-- Adds what a statement changed in downloads to download_groups. Downloads without bytes are no
-- part of it.
CREATE FUNCTION "report_fold_downloads"() RETURNS trigger LANGUAGE plpgsql SET search_path = public AS $$
DECLARE
	changed text := CASE TG_OP
		WHEN 'INSERT' THEN 'SELECT 1 AS sign, * FROM new_rows'
		WHEN 'DELETE' THEN 'SELECT -1 AS sign, * FROM old_rows'
		ELSE 'SELECT 1 AS sign, * FROM new_rows UNION ALL SELECT -1, * FROM old_rows'
	END;
BEGIN
	EXECUTE format('INSERT INTO download_groups AS kept (title_key, client, service, is_prefill,
			downloads, mostly_hit, evicted, hit_bytes, miss_bytes, timed_bytes, speed_weight,
			first_at, last_at)
		SELECT title_key, client, service, is_prefill, sum(sign),
			coalesce(sum(sign) FILTER (WHERE hit_bytes >= miss_bytes), 0),
			coalesce(sum(sign) FILTER (WHERE is_evicted), 0),
			sum(sign * hit_bytes), sum(sign * miss_bytes),
			coalesce(sum(sign * size) FILTER (WHERE seconds > 0), 0),
			coalesce(sum(sign * size::float8 * size / nullif(seconds, 0)), 0),
			min(started_at), max(ended_at)
		FROM (
			SELECT *, hit_bytes + miss_bytes AS size,
				extract(epoch FROM ended_at - started_at)::float8 AS seconds
			FROM (%s) AS rows WHERE hit_bytes + miss_bytes > 0
		) AS changed
		GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
		ON CONFLICT (title_key, client, service, is_prefill) DO UPDATE SET
			downloads = kept.downloads + excluded.downloads,
			mostly_hit = kept.mostly_hit + excluded.mostly_hit,
			evicted = kept.evicted + excluded.evicted,
			hit_bytes = kept.hit_bytes + excluded.hit_bytes,
			miss_bytes = kept.miss_bytes + excluded.miss_bytes,
			timed_bytes = kept.timed_bytes + excluded.timed_bytes,
			speed_weight = kept.speed_weight + excluded.speed_weight,
			first_at = least(kept.first_at, excluded.first_at),
			last_at = greatest(kept.last_at, excluded.last_at)', changed);
	IF TG_OP = 'DELETE' THEN
		DELETE FROM download_groups WHERE downloads = 0
			AND (title_key, client, service, is_prefill) IN
				(SELECT title_key, client, service, is_prefill FROM old_rows);
		-- The earliest or latest of a group may be gone.
		UPDATE download_groups AS kept SET first_at = rest.first_at, last_at = rest.last_at
		FROM (
			SELECT title_key, client, service, is_prefill, min(started_at) AS gone_first,
				max(ended_at) AS gone_last
			FROM old_rows GROUP BY 1, 2, 3, 4
		) AS gone
		CROSS JOIN LATERAL (
			SELECT min(d.started_at) AS first_at, max(d.ended_at) AS last_at FROM downloads d
			WHERE d.title_key = gone.title_key AND d.client = gone.client
				AND d.service = gone.service AND d.is_prefill = gone.is_prefill
				AND d.hit_bytes + d.miss_bytes > 0
		) AS rest
		WHERE kept.title_key = gone.title_key AND kept.client = gone.client
			AND kept.service = gone.service AND kept.is_prefill = gone.is_prefill
			AND (gone.gone_first <= kept.first_at OR gone.gone_last >= kept.last_at);
	END IF;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION "report_truncate"() RETURNS trigger LANGUAGE plpgsql SET search_path = public AS $$
BEGIN
	EXECUTE format('TRUNCATE %s', array_to_string(TG_ARGV, ', '));
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "service_quarter_insert" AFTER INSERT ON "traffic" REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION report_fold_traffic('service_quarter', 'bucket_at, service, is_prefill', 'date_bin(''15 minutes'', bucket_at, ''2000-01-01 00:00:00+00'')');
--> statement-breakpoint
CREATE TRIGGER "service_quarter_update" AFTER UPDATE ON "traffic" REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION report_fold_traffic('service_quarter', 'bucket_at, service, is_prefill', 'date_bin(''15 minutes'', bucket_at, ''2000-01-01 00:00:00+00'')');
--> statement-breakpoint
CREATE TRIGGER "service_quarter_delete" AFTER DELETE ON "traffic" REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION report_fold_traffic('service_quarter', 'bucket_at, service, is_prefill', 'date_bin(''15 minutes'', bucket_at, ''2000-01-01 00:00:00+00'')');
--> statement-breakpoint
CREATE TRIGGER "service_hour_insert" AFTER INSERT ON "traffic_hour" REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION report_fold_traffic('service_hour', 'bucket_at, service, is_prefill');
--> statement-breakpoint
CREATE TRIGGER "service_hour_update" AFTER UPDATE ON "traffic_hour" REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION report_fold_traffic('service_hour', 'bucket_at, service, is_prefill');
--> statement-breakpoint
CREATE TRIGGER "service_hour_delete" AFTER DELETE ON "traffic_hour" REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION report_fold_traffic('service_hour', 'bucket_at, service, is_prefill');
--> statement-breakpoint
CREATE TRIGGER "service_day_insert" AFTER INSERT ON "traffic_day" REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION report_fold_traffic('service_day', 'bucket_at, service, is_prefill');
--> statement-breakpoint
CREATE TRIGGER "service_day_update" AFTER UPDATE ON "traffic_day" REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION report_fold_traffic('service_day', 'bucket_at, service, is_prefill');
--> statement-breakpoint
CREATE TRIGGER "service_day_delete" AFTER DELETE ON "traffic_day" REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION report_fold_traffic('service_day', 'bucket_at, service, is_prefill');
--> statement-breakpoint
CREATE TRIGGER "client_day_insert" AFTER INSERT ON "traffic_day" REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION report_fold_traffic('client_day', 'bucket_at, client, is_prefill');
--> statement-breakpoint
CREATE TRIGGER "client_day_update" AFTER UPDATE ON "traffic_day" REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION report_fold_traffic('client_day', 'bucket_at, client, is_prefill');
--> statement-breakpoint
CREATE TRIGGER "client_day_delete" AFTER DELETE ON "traffic_day" REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION report_fold_traffic('client_day', 'bucket_at, client, is_prefill');
--> statement-breakpoint
CREATE TRIGGER "download_groups_insert" AFTER INSERT ON "downloads" REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION report_fold_downloads();
--> statement-breakpoint
CREATE TRIGGER "download_groups_update" AFTER UPDATE ON "downloads" REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION report_fold_downloads();
--> statement-breakpoint
CREATE TRIGGER "download_groups_delete" AFTER DELETE ON "downloads" REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION report_fold_downloads();
--> statement-breakpoint
CREATE TRIGGER "traffic_truncate" AFTER TRUNCATE ON "traffic" FOR EACH STATEMENT EXECUTE FUNCTION report_truncate('service_quarter');
--> statement-breakpoint
CREATE TRIGGER "traffic_hour_truncate" AFTER TRUNCATE ON "traffic_hour" FOR EACH STATEMENT EXECUTE FUNCTION report_truncate('service_hour');
--> statement-breakpoint
CREATE TRIGGER "traffic_day_truncate" AFTER TRUNCATE ON "traffic_day" FOR EACH STATEMENT EXECUTE FUNCTION report_truncate('service_day', 'client_day');
--> statement-breakpoint
CREATE TRIGGER "downloads_truncate" AFTER TRUNCATE ON "downloads" FOR EACH STATEMENT EXECUTE FUNCTION report_truncate('download_groups');
--> statement-breakpoint
INSERT INTO service_quarter (bucket_at, service, is_prefill, hit_bytes, miss_bytes, requests, downloads, first_at, last_at)
SELECT date_bin('15 minutes', bucket_at, '2000-01-01 00:00:00+00'), service, is_prefill, sum(hit_bytes), sum(miss_bytes), sum(requests), sum(downloads), min(first_at), max(last_at)
FROM traffic GROUP BY 1, 2, 3;
--> statement-breakpoint
INSERT INTO service_hour (bucket_at, service, is_prefill, hit_bytes, miss_bytes, requests, downloads, first_at, last_at)
SELECT bucket_at, service, is_prefill, sum(hit_bytes), sum(miss_bytes), sum(requests), sum(downloads), min(first_at), max(last_at)
FROM traffic_hour GROUP BY bucket_at, service, is_prefill;
--> statement-breakpoint
INSERT INTO service_day (bucket_at, service, is_prefill, hit_bytes, miss_bytes, requests, downloads, first_at, last_at)
SELECT bucket_at, service, is_prefill, sum(hit_bytes), sum(miss_bytes), sum(requests), sum(downloads), min(first_at), max(last_at)
FROM traffic_day GROUP BY bucket_at, service, is_prefill;
--> statement-breakpoint
INSERT INTO client_day (bucket_at, client, is_prefill, hit_bytes, miss_bytes, requests, downloads, first_at, last_at)
SELECT bucket_at, client, is_prefill, sum(hit_bytes), sum(miss_bytes), sum(requests), sum(downloads), min(first_at), max(last_at)
FROM traffic_day GROUP BY bucket_at, client, is_prefill;
--> statement-breakpoint
INSERT INTO download_groups (title_key, client, service, is_prefill, downloads, mostly_hit, evicted,
	hit_bytes, miss_bytes, timed_bytes, speed_weight, first_at, last_at)
SELECT title_key, client, service, is_prefill, count(*), count(*) FILTER (WHERE hit_bytes >= miss_bytes),
	count(*) FILTER (WHERE is_evicted), sum(hit_bytes), sum(miss_bytes),
	coalesce(sum(hit_bytes + miss_bytes) FILTER (WHERE ended_at > started_at), 0),
	coalesce(sum((hit_bytes + miss_bytes)::float8 * (hit_bytes + miss_bytes)
		/ nullif(extract(epoch FROM ended_at - started_at)::float8, 0)), 0),
	min(started_at), max(ended_at)
FROM downloads WHERE hit_bytes + miss_bytes > 0 GROUP BY 1, 2, 3, 4;
