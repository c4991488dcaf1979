DROP TRIGGER "download_groups_insert" ON "downloads";
--> statement-breakpoint
DROP TRIGGER "download_groups_update" ON "downloads";
--> statement-breakpoint
DROP TRIGGER "download_groups_delete" ON "downloads";
--> statement-breakpoint
DROP TABLE "download_groups";
--> statement-breakpoint
-- One partition per span, so that the groups of all time lie together on few pages.
CREATE TABLE "download_groups" (
	"span_days" smallint NOT NULL,
	"block" integer NOT NULL,
	"title_key" text NOT NULL,
	"client" text NOT NULL,
	"service" text NOT NULL,
	"is_prefill" boolean NOT NULL,
	"kind" smallint NOT NULL,
	"downloads" bigint NOT NULL,
	"evicted" bigint NOT NULL,
	"hit_bytes" bigint NOT NULL,
	"miss_bytes" bigint NOT NULL,
	"timed_bytes" bigint NOT NULL,
	"speed_weight" double precision NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "download_groups_key" PRIMARY KEY("span_days","block","title_key","client","service","is_prefill","kind")
) PARTITION BY LIST ("span_days");
--> statement-breakpoint
CREATE TABLE "download_groups_0" PARTITION OF "download_groups" FOR VALUES IN (0)
	WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
CREATE TABLE "download_groups_8" PARTITION OF "download_groups" FOR VALUES IN (8)
	WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
CREATE TABLE "download_groups_64" PARTITION OF "download_groups" FOR VALUES IN (64)
	WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
-- Downloads with the keys of their group, from a transition table.
CREATE FUNCTION "download_kind"(hit_bytes bigint, miss_bytes bigint) RETURNS smallint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT (CASE WHEN hit_bytes + miss_bytes = 0 THEN 0 WHEN hit_bytes >= miss_bytes THEN 1 ELSE 2 END)::smallint
$$;
--> statement-breakpoint
-- Number of the block of so many days since 1970 that an instant is in; span 0 is all time.
CREATE FUNCTION "download_block"(span_days integer, at timestamp with time zone) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT CASE span_days WHEN 0 THEN 0 ELSE floor(extract(epoch FROM at) / 86400 / span_days)::integer END
$$;
--> statement-breakpoint
-- Adds what a statement changed in downloads to download_groups, at every span.
CREATE OR REPLACE FUNCTION "report_fold_downloads"() RETURNS trigger LANGUAGE plpgsql SET search_path = public AS $$
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
BEGIN
	EXECUTE format('WITH delta AS MATERIALIZED (
			SELECT download_block(8, started_at) AS block, title_key, client, service, is_prefill,
				download_kind(hit_bytes, miss_bytes) AS kind, sum(sign) AS downloads,
				coalesce(sum(sign) FILTER (WHERE is_evicted), 0) AS evicted,
				sum(sign * hit_bytes) AS hit_bytes, sum(sign * miss_bytes) AS miss_bytes,
				coalesce(sum(sign * size) FILTER (WHERE seconds > 0), 0) AS timed_bytes,
				coalesce(sum(sign * size::float8 * size / nullif(seconds, 0)), 0) AS speed_weight,
				min(started_at) AS first_at, max(ended_at) AS last_at
			FROM (
				SELECT *, hit_bytes + miss_bytes AS size,
					extract(epoch FROM ended_at - started_at)::float8 AS seconds
				FROM (%s) AS rows
			) AS changed
			GROUP BY 1, 2, 3, 4, 5, 6
		)
		INSERT INTO download_groups AS kept (span_days, block, title_key, client, service, is_prefill,
			kind, downloads, evicted, hit_bytes, miss_bytes, timed_bytes, speed_weight, first_at, last_at)
		SELECT span_days, CASE span_days WHEN 0 THEN 0 ELSE floor(block * 8.0 / span_days) END AS block,
			title_key, client, service, is_prefill, kind,
			sum(downloads), sum(evicted), sum(hit_bytes), sum(miss_bytes), sum(timed_bytes),
			sum(speed_weight), min(first_at), max(last_at)
		FROM delta CROSS JOIN (VALUES (0), (8), (64)) AS spans(span_days)
		GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 2, 3, 4, 5, 6, 7
		ON CONFLICT (span_days, block, title_key, client, service, is_prefill, kind) DO UPDATE SET
			downloads = kept.downloads + excluded.downloads,
			evicted = kept.evicted + excluded.evicted,
			hit_bytes = kept.hit_bytes + excluded.hit_bytes,
			miss_bytes = kept.miss_bytes + excluded.miss_bytes,
			timed_bytes = kept.timed_bytes + excluded.timed_bytes,
			speed_weight = kept.speed_weight + excluded.speed_weight,
			first_at = least(kept.first_at, excluded.first_at),
			last_at = greatest(kept.last_at, excluded.last_at)', changed);
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
		)
		UPDATE download_groups AS kept SET
			first_at = CASE WHEN gone.first_at > kept.first_at THEN kept.first_at ELSE (
				SELECT min(d.started_at) FROM downloads d
				WHERE d.title_key = kept.title_key AND d.client = kept.client
					AND d.service = kept.service AND d.is_prefill = kept.is_prefill
					AND download_kind(d.hit_bytes, d.miss_bytes) = kept.kind
					AND download_block(kept.span_days, d.started_at) = kept.block
					AND d.ended_at >= kept.first_at) END,
			last_at = CASE WHEN gone.last_at < kept.last_at THEN kept.last_at ELSE (
				SELECT d.ended_at FROM downloads d
				WHERE d.title_key = kept.title_key AND d.client = kept.client
					AND d.service = kept.service AND d.is_prefill = kept.is_prefill
					AND download_kind(d.hit_bytes, d.miss_bytes) = kept.kind
					AND download_block(kept.span_days, d.started_at) = kept.block
				ORDER BY d.ended_at DESC LIMIT 1) END
		FROM gone
		WHERE kept.downloads > 0 AND kept.span_days = gone.span_days AND kept.block = gone.block
			AND kept.title_key = gone.title_key AND kept.client = gone.client
			AND kept.service = gone.service AND kept.is_prefill = gone.is_prefill
			AND kept.kind = gone.kind
			AND (gone.first_at <= kept.first_at OR gone.last_at >= kept.last_at)', departed);
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "download_groups_insert" AFTER INSERT ON "downloads" REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION report_fold_downloads();
--> statement-breakpoint
CREATE TRIGGER "download_groups_update" AFTER UPDATE ON "downloads" REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION report_fold_downloads();
--> statement-breakpoint
CREATE TRIGGER "download_groups_delete" AFTER DELETE ON "downloads" REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION report_fold_downloads();
--> statement-breakpoint
INSERT INTO download_groups (span_days, block, title_key, client, service, is_prefill, kind,
	downloads, evicted, hit_bytes, miss_bytes, timed_bytes, speed_weight, first_at, last_at)
SELECT span_days, download_block(span_days, started_at), title_key, client, service, is_prefill,
	download_kind(hit_bytes, miss_bytes), count(*), count(*) FILTER (WHERE is_evicted),
	sum(hit_bytes), sum(miss_bytes),
	coalesce(sum(hit_bytes + miss_bytes) FILTER (WHERE ended_at > started_at), 0),
	coalesce(sum((hit_bytes + miss_bytes)::float8 * (hit_bytes + miss_bytes)
		/ nullif(extract(epoch FROM ended_at - started_at)::float8, 0)), 0),
	min(started_at), max(ended_at)
FROM downloads CROSS JOIN (VALUES (0), (8), (64)) AS spans(span_days)
GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 2, 3, 4, 5, 6, 7;
--> statement-breakpoint
DROP INDEX "downloads_size";
--> statement-breakpoint
-- Downloads that are rows of their own in the retro view, in the orders it offers. Pages far behind
-- are skipped inside the index, so everything that usual filters ask for is in it.
CREATE INDEX "downloads_single_latest" ON "downloads" USING btree ("ended_at","id") INCLUDE ("started_at","service","client","title_key","hit_bytes","miss_bytes") WHERE NOT starts_with(title_key, 'alpha:') AND NOT is_prefill AND hit_bytes + miss_bytes > 0;
--> statement-breakpoint
CREATE INDEX "downloads_single_service" ON "downloads" USING btree ("service","ended_at","id") INCLUDE ("started_at","client") WHERE NOT starts_with(title_key, 'alpha:') AND NOT is_prefill AND hit_bytes + miss_bytes > 0;
--> statement-breakpoint
CREATE INDEX "downloads_single_client" ON "downloads" USING btree ("client","ended_at","id") INCLUDE ("started_at","service") WHERE NOT starts_with(title_key, 'alpha:') AND NOT is_prefill AND hit_bytes + miss_bytes > 0;
--> statement-breakpoint
CREATE INDEX "downloads_single_size" ON "downloads" USING btree (("hit_bytes" + "miss_bytes"),"ended_at","id") INCLUDE ("hit_bytes","miss_bytes") WHERE NOT starts_with(title_key, 'alpha:') AND NOT is_prefill AND hit_bytes + miss_bytes > 0;
--> statement-breakpoint
CREATE INDEX "downloads_single_efficiency" ON "downloads" USING btree (("hit_bytes"::float8 / greatest("hit_bytes" + "miss_bytes", 1)),"ended_at","id") INCLUDE ("hit_bytes","miss_bytes") WHERE NOT starts_with(title_key, 'alpha:') AND NOT is_prefill AND hit_bytes + miss_bytes > 0;
--> statement-breakpoint
CREATE INDEX "downloads_single_oldest" ON "downloads" USING btree ("started_at","ended_at" DESC,"id" DESC) WHERE NOT starts_with(title_key, 'alpha:') AND NOT is_prefill AND hit_bytes + miss_bytes > 0;
--> statement-breakpoint
-- Skipping inside an index needs pages that are known to be visible; a fifth of all rows is too late.
ALTER TABLE "downloads" SET (autovacuum_vacuum_insert_scale_factor = 0.05);
