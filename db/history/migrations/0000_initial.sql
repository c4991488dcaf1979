CREATE TABLE "cache_snapshots" (
	"taken_at" timestamp with time zone PRIMARY KEY NOT NULL,
	"used_bytes" bigint NOT NULL,
	"total_bytes" bigint NOT NULL,
	"used_ratio" double precision NOT NULL
);
--> statement-breakpoint
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
CREATE TABLE "client_hour" (
	"bucket_at" timestamp with time zone NOT NULL,
	"client" text NOT NULL,
	"is_prefill" boolean NOT NULL,
	"hit_bytes" bigint NOT NULL,
	"miss_bytes" bigint NOT NULL,
	"requests" bigint NOT NULL,
	"downloads" bigint NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "client_hour_bucket_at_client_is_prefill_pk" PRIMARY KEY("bucket_at","client","is_prefill")
);
--> statement-breakpoint
CREATE TABLE "client_service_day" (
	"bucket_at" timestamp with time zone NOT NULL,
	"client" text NOT NULL,
	"service" text NOT NULL,
	"is_prefill" boolean NOT NULL,
	"hit_bytes" bigint NOT NULL,
	"miss_bytes" bigint NOT NULL,
	"requests" bigint NOT NULL,
	"downloads" bigint NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "client_service_day_bucket_at_client_service_is_prefill_pk" PRIMARY KEY("bucket_at","client","service","is_prefill")
);
--> statement-breakpoint
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
CREATE TABLE "download_objects" (
	"download_id" bigint PRIMARY KEY NOT NULL,
	"object_keys" text[] NOT NULL
);
--> statement-breakpoint
CREATE TABLE "downloads" (
	"id" bigint PRIMARY KEY NOT NULL,
	"datasource" text NOT NULL,
	"service" text NOT NULL,
	"tag" text NOT NULL,
	"client" text NOT NULL,
	"title_key" text NOT NULL,
	"is_prefill" boolean NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone NOT NULL,
	"hit_bytes" bigint NOT NULL,
	"miss_bytes" bigint NOT NULL,
	"requests" bigint NOT NULL,
	"last_url" text NOT NULL,
	"is_evicted" boolean DEFAULT false NOT NULL,
	"revision" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "event_downloads" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "event_downloads_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"event_id" bigint NOT NULL,
	"download_id" bigint NOT NULL,
	"tagged_at" timestamp with time zone NOT NULL,
	"is_automatic" boolean NOT NULL,
	"is_removed" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "events" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"description" text,
	"start_at" timestamp with time zone NOT NULL,
	"end_at" timestamp with time zone NOT NULL,
	"start_local" text NOT NULL,
	"end_local" text NOT NULL,
	"color_index" smallint NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone,
	"is_tagged" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "failed_requests" (
	"span_seconds" integer NOT NULL,
	"bucket_at" timestamp with time zone NOT NULL,
	"datasource" text NOT NULL,
	"service" text NOT NULL,
	"client" text NOT NULL,
	"is_prefill" boolean NOT NULL,
	"requests" bigint NOT NULL,
	CONSTRAINT "failed_requests_key" PRIMARY KEY("span_seconds","bucket_at","datasource","service","client","is_prefill")
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
CREATE TABLE "shipped_batch" (
	"batch_id" uuid PRIMARY KEY NOT NULL,
	"shipped_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "time_hour" (
	"bucket_at" timestamp with time zone NOT NULL,
	"is_prefill" boolean NOT NULL,
	"hit_bytes" bigint NOT NULL,
	"miss_bytes" bigint NOT NULL,
	"requests" bigint NOT NULL,
	"downloads" bigint NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "time_hour_bucket_at_is_prefill_pk" PRIMARY KEY("bucket_at","is_prefill")
);
--> statement-breakpoint
CREATE TABLE "title_day" (
	"bucket_at" timestamp with time zone NOT NULL,
	"title_key" text NOT NULL,
	"service" text NOT NULL,
	"is_prefill" boolean NOT NULL,
	"hit_bytes" bigint NOT NULL,
	"miss_bytes" bigint NOT NULL,
	"requests" bigint NOT NULL,
	"downloads" bigint NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "title_day_title_key_bucket_at_service_is_prefill_pk" PRIMARY KEY("title_key","bucket_at","service","is_prefill")
);
--> statement-breakpoint
CREATE TABLE "titles" (
	"title_key" text PRIMARY KEY NOT NULL,
	"platform" text,
	"service" text NOT NULL,
	"game_name" text,
	"game_app_id" bigint,
	"beta_app_id" text,
	"epsilon_product_id" text,
	"depot_id" bigint,
	"image_url" text,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "traffic" (
	"bucket_at" timestamp with time zone NOT NULL,
	"datasource" text NOT NULL,
	"service" text NOT NULL,
	"client" text NOT NULL,
	"title_key" text NOT NULL,
	"is_prefill" boolean NOT NULL,
	"hit_bytes" bigint NOT NULL,
	"miss_bytes" bigint NOT NULL,
	"requests" bigint NOT NULL,
	"downloads" bigint NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "traffic_key" PRIMARY KEY("bucket_at","title_key","client","service","datasource","is_prefill")
) PARTITION BY RANGE ("bucket_at");
--> statement-breakpoint
CREATE TABLE "traffic_day" (
	"bucket_at" timestamp with time zone NOT NULL,
	"datasource" text NOT NULL,
	"service" text NOT NULL,
	"client" text NOT NULL,
	"title_key" text NOT NULL,
	"is_prefill" boolean NOT NULL,
	"hit_bytes" bigint NOT NULL,
	"miss_bytes" bigint NOT NULL,
	"requests" bigint NOT NULL,
	"downloads" bigint NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "traffic_day_key" PRIMARY KEY("title_key","bucket_at","client","service","datasource","is_prefill")
);
--> statement-breakpoint
CREATE TABLE "traffic_hour" (
	"bucket_at" timestamp with time zone NOT NULL,
	"datasource" text NOT NULL,
	"service" text NOT NULL,
	"client" text NOT NULL,
	"title_key" text NOT NULL,
	"is_prefill" boolean NOT NULL,
	"hit_bytes" bigint NOT NULL,
	"miss_bytes" bigint NOT NULL,
	"requests" bigint NOT NULL,
	"downloads" bigint NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "traffic_hour_key" PRIMARY KEY("title_key","bucket_at","client","service","datasource","is_prefill")
);
--> statement-breakpoint
CREATE TABLE "ingest_link" (
	"id" smallint PRIMARY KEY DEFAULT 1 NOT NULL,
	"installation" text NOT NULL,
	"epoch" bigint NOT NULL,
	"seq" bigint NOT NULL,
	"batch_id" text,
	"is_complete" boolean NOT NULL,
	"facts" text,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ingest_position" (
	"kind" text NOT NULL,
	"id" bigint NOT NULL,
	"fields" text NOT NULL,
	CONSTRAINT "ingest_position_kind_id_pk" PRIMARY KEY("kind","id")
);
--> statement-breakpoint
ALTER TABLE "event_downloads" ADD CONSTRAINT "event_downloads_event_id_events_id_fk" FOREIGN KEY ("event_id") REFERENCES "events"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "event_downloads" ADD CONSTRAINT "event_downloads_download_id_downloads_id_fk" FOREIGN KEY ("download_id") REFERENCES "downloads"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "client_hour_client" ON "client_hour" USING btree ("client","bucket_at") INCLUDE ("is_prefill","hit_bytes","miss_bytes","downloads");--> statement-breakpoint
CREATE INDEX "downloads_ended" ON "downloads" USING btree ("ended_at","id");--> statement-breakpoint
CREATE INDEX "downloads_started" ON "downloads" USING btree ("started_at","id");--> statement-breakpoint
CREATE INDEX "downloads_service" ON "downloads" USING btree ("service","ended_at");--> statement-breakpoint
CREATE INDEX "downloads_client" ON "downloads" USING btree ("client","ended_at");--> statement-breakpoint
CREATE INDEX "downloads_title_client" ON "downloads" USING btree ("title_key","client","ended_at");--> statement-breakpoint
CREATE INDEX "downloads_evicted" ON "downloads" USING btree ("id") WHERE is_evicted;--> statement-breakpoint
CREATE INDEX "downloads_single_size" ON "downloads" USING btree (("hit_bytes" + "miss_bytes"),"ended_at","id") INCLUDE ("hit_bytes","miss_bytes","started_at","service","client","is_evicted") WHERE NOT starts_with(title_key, 'alpha:') AND NOT is_prefill;--> statement-breakpoint
CREATE INDEX "downloads_single_efficiency" ON "downloads" USING btree (("hit_bytes"::float8 / greatest("hit_bytes" + "miss_bytes", 1)),"ended_at","id") INCLUDE ("hit_bytes","miss_bytes","started_at","service","client","is_evicted") WHERE NOT starts_with(title_key, 'alpha:') AND NOT is_prefill;--> statement-breakpoint
CREATE UNIQUE INDEX "event_downloads_pair" ON "event_downloads" USING btree ("event_id","download_id");--> statement-breakpoint
CREATE INDEX "event_downloads_download" ON "event_downloads" USING btree ("download_id");--> statement-breakpoint
CREATE INDEX "events_range" ON "events" USING btree ("start_at","end_at");--> statement-breakpoint
CREATE INDEX "shipped_batch_at" ON "shipped_batch" USING btree ("shipped_at");--> statement-breakpoint
CREATE INDEX "titles_app" ON "titles" USING btree ("game_app_id");--> statement-breakpoint
CREATE INDEX "titles_name" ON "titles" USING btree ("game_name");--> statement-breakpoint
CREATE INDEX "traffic_day_bucket" ON "traffic_day" USING btree ("bucket_at");--> statement-breakpoint
CREATE INDEX "traffic_hour_bucket" ON "traffic_hour" USING btree ("bucket_at");
--> statement-breakpoint
-- One partition per span, so that the groups of all time lie together on few pages.
CREATE TABLE "download_groups_0" PARTITION OF "download_groups" FOR VALUES IN (0) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
CREATE TABLE "download_groups_8" PARTITION OF "download_groups" FOR VALUES IN (8) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
CREATE TABLE "download_groups_64" PARTITION OF "download_groups" FOR VALUES IN (64) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
-- Every batch updates the same rows again: room in each page keeps the tables from growing.
ALTER TABLE "service_quarter" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE "time_hour" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE "service_hour" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE "service_day" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE "title_day" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE "client_hour" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE "client_day" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE "client_service_day" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
-- Skipping inside an index needs pages that are known to be visible; a fifth of all rows is too late.
ALTER TABLE "downloads" SET (autovacuum_vacuum_insert_scale_factor = 0.05);
