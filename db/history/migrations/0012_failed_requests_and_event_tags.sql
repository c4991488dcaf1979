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
ALTER TABLE "events" ADD COLUMN "is_tagged" boolean DEFAULT false NOT NULL;