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
