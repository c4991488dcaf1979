CREATE TABLE "single_counts" (
	"span_days" smallint NOT NULL,
	"sorting" smallint NOT NULL,
	"client" text NOT NULL,
	"block" integer NOT NULL,
	"bucket" integer NOT NULL,
	"kind" smallint NOT NULL,
	"downloads" bigint NOT NULL,
	"evicted" bigint NOT NULL,
	CONSTRAINT "single_counts_key" PRIMARY KEY("span_days","sorting","client","block","bucket","kind")
);

--> statement-breakpoint
ALTER TABLE "single_counts" SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
-- Number of the block of so many days since 1970 that an instant is in; span 0 is all time. The same as
-- before, but of nothing that could depend on settings, so that it becomes a part of queries.
CREATE OR REPLACE FUNCTION "download_block"(span_days integer, at timestamp with time zone) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT CASE span_days WHEN 0 THEN 0 ELSE floor(date_part('epoch', at - '1970-01-01 00:00:00+00'::timestamptz) / 86400 / span_days)::integer END
$$;
--> statement-breakpoint
-- Number of the block of eight days since 1970 that a download ended in.
CREATE FUNCTION "single_ended_bucket"(ended_at timestamp with time zone) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT greatest(0, least(65535, floor(date_part('epoch', ended_at - '1970-01-01 00:00:00+00'::timestamptz) / 691200)))::integer
$$;
--> statement-breakpoint
-- Two classes of size per power of two, from 4 KiB to 24 TiB; what is below and above are classes, too.
CREATE FUNCTION "single_size_bucket"(size bigint) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT width_bucket(size, '{
		4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152, 65536, 98304, 131072, 196608, 262144, 393216,
		524288, 786432, 1048576, 1572864, 2097152, 3145728, 4194304, 6291456, 8388608, 12582912, 16777216,
		25165824, 33554432, 50331648, 67108864, 100663296, 134217728, 201326592, 268435456, 402653184,
		536870912, 805306368, 1073741824, 1610612736, 2147483648, 3221225472, 4294967296, 6442450944,
		8589934592, 12884901888, 17179869184, 25769803776, 34359738368, 51539607552, 68719476736,
		103079215104, 137438953472, 206158430208, 274877906944, 412316860416, 549755813888, 824633720832,
		1099511627776, 1649267441664, 2199023255552, 3298534883328, 4398046511104, 6597069766656,
		8796093022208, 13194139533312, 17592186044416, 26388279066624
	}'::bigint[])
$$;
--> statement-breakpoint
-- 32 classes of the share from the cache between nothing (0) and all (33). These two are frequent: they
-- are told apart by when downloads ended, which is what the order goes on with.
CREATE FUNCTION "single_efficiency_bucket"(hit_bytes bigint, miss_bytes bigint, ended_at timestamp with time zone) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT CASE
		WHEN hit_bytes::float8 / greatest(hit_bytes + miss_bytes, 1) >= 1 THEN 33 * 65536 + single_ended_bucket(ended_at)
		WHEN hit_bytes = 0 THEN single_ended_bucket(ended_at)
		ELSE 65536 * (1 + floor(hit_bytes::float8 / greatest(hit_bytes + miss_bytes, 1) * 32)::integer)
	END
$$;
--> statement-breakpoint
-- Adds what a statement changed in downloads to single_counts: for everybody and by client.
CREATE FUNCTION "report_count_singles"() RETURNS trigger LANGUAGE plpgsql SET search_path = public AS $$
DECLARE
	changed text := CASE TG_OP
		WHEN 'INSERT' THEN 'SELECT 1 AS sign, * FROM new_rows'
		WHEN 'DELETE' THEN 'SELECT -1 AS sign, * FROM old_rows'
		ELSE 'SELECT 1 AS sign, * FROM new_rows UNION ALL SELECT -1, * FROM old_rows'
	END;
	-- The classes of a single download.
	places text := '(VALUES (0, single_ended_bucket(ended_at)), (1, single_size_bucket(hit_bytes + miss_bytes)),
		(2, single_efficiency_bucket(hit_bytes, miss_bytes, ended_at))) AS places(sorting, bucket)';
BEGIN
	EXECUTE format('WITH delta AS MATERIALIZED (
			SELECT download_block(8, started_at) AS block, client, sorting, bucket,
				download_kind(hit_bytes, miss_bytes) AS kind, sum(sign) AS downloads,
				coalesce(sum(sign) FILTER (WHERE is_evicted), 0) AS evicted
			FROM (%s) AS rows CROSS JOIN LATERAL %s
			WHERE NOT starts_with(title_key, ''alpha:'') AND NOT is_prefill AND hit_bytes + miss_bytes > 0
			GROUP BY 1, 2, 3, 4, 5
			HAVING sum(sign) <> 0 OR coalesce(sum(sign) FILTER (WHERE is_evicted), 0) <> 0
		)
		INSERT INTO single_counts AS kept (span_days, sorting, client, block, bucket, kind, downloads, evicted)
		SELECT span_days, sorting, whose.client,
			CASE span_days WHEN 0 THEN 0 ELSE floor(block * 8.0 / span_days) END,
			bucket, kind, sum(downloads), sum(evicted)
		FROM delta CROSS JOIN (VALUES (0), (8), (64)) AS spans(span_days)
		CROSS JOIN LATERAL (VALUES (''''), (delta.client)) AS whose(client)
		GROUP BY 1, 2, 3, 4, 5, 6 HAVING sum(downloads) <> 0 OR sum(evicted) <> 0
		ORDER BY 1, 2, 3, 4, 5, 6
		ON CONFLICT (span_days, sorting, client, block, bucket, kind) DO UPDATE SET
			downloads = kept.downloads + excluded.downloads,
			evicted = kept.evicted + excluded.evicted', changed, places);
	IF TG_OP = 'INSERT' THEN
		RETURN NULL;
	END IF;
	-- Nothing stays of classes that lost their last download.
	EXECUTE format('WITH lost AS MATERIALIZED (
			SELECT DISTINCT download_block(8, started_at) AS block, client, sorting, bucket,
				download_kind(hit_bytes, miss_bytes) AS kind
			FROM old_rows CROSS JOIN LATERAL %s
			WHERE NOT starts_with(title_key, ''alpha:'') AND NOT is_prefill AND hit_bytes + miss_bytes > 0
		), gone AS MATERIALIZED (
			SELECT DISTINCT span_days, sorting, whose.client,
				(CASE span_days WHEN 0 THEN 0 ELSE floor(block * 8.0 / span_days) END)::integer AS block,
				bucket, kind
			FROM lost CROSS JOIN (VALUES (0), (8), (64)) AS spans(span_days)
			CROSS JOIN LATERAL (VALUES (''''), (lost.client)) AS whose(client)
		)
		DELETE FROM single_counts AS kept USING gone
		WHERE kept.downloads = 0 AND kept.span_days = gone.span_days AND kept.sorting = gone.sorting
			AND kept.client = gone.client AND kept.block = gone.block AND kept.bucket = gone.bucket
			AND kept.kind = gone.kind', places);
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "single_counts_insert" AFTER INSERT ON "downloads" REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION report_count_singles();
--> statement-breakpoint
CREATE TRIGGER "single_counts_update" AFTER UPDATE ON "downloads" REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION report_count_singles();
--> statement-breakpoint
CREATE TRIGGER "single_counts_delete" AFTER DELETE ON "downloads" REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION report_count_singles();
--> statement-breakpoint
CREATE TRIGGER "single_counts_truncate" AFTER TRUNCATE ON "downloads" FOR EACH STATEMENT EXECUTE FUNCTION report_truncate('single_counts');
--> statement-breakpoint
INSERT INTO single_counts (span_days, sorting, client, block, bucket, kind, downloads, evicted)
SELECT span_days, sorting, whose.client, CASE span_days WHEN 0 THEN 0 ELSE floor(block * 8.0 / span_days) END,
	bucket, kind, sum(downloads), sum(evicted)
FROM (
	SELECT download_block(8, started_at) AS block, client, sorting, bucket,
		download_kind(hit_bytes, miss_bytes) AS kind, count(*) AS downloads,
		count(*) FILTER (WHERE is_evicted) AS evicted
	FROM downloads CROSS JOIN LATERAL (VALUES
		(0, single_ended_bucket(ended_at)), (1, single_size_bucket(hit_bytes + miss_bytes)),
		(2, single_efficiency_bucket(hit_bytes, miss_bytes, ended_at))
	) AS places(sorting, bucket)
	WHERE NOT starts_with(title_key, 'alpha:') AND NOT is_prefill AND hit_bytes + miss_bytes > 0
	GROUP BY 1, 2, 3, 4, 5
) AS singles CROSS JOIN (VALUES (0), (8), (64)) AS spans(span_days)
CROSS JOIN LATERAL (VALUES (''), (singles.client)) AS whose(client)
GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6;
