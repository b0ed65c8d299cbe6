import type { JobKind, JobState } from '@trellis/contract/shapes/job.ts';
import type { BadgeTone } from '../../ui/badge.tsx';

export const KIND_WORDS: Readonly<Record<JobKind, string>> = {
  'index-rebuild': 'Building the search index',
  'schema-index': 'Building an index of a field',
  'schema-change': 'Changing the schema',
  'embedding-backfill': 'Embedding texts',
  'endpoint-recheck': 'Checking endpoints and migrations',
  'replica-verification': 'Comparing replicas',
  'deep-research': 'Deep research',
  'golden-answers': 'Golden answers',
  'definitions-import': 'Import of definitions',
  backup: 'Backing up',
  'backup-verification': 'Verifying a backup',
  task: 'A task',
  migration: 'A migration',
  'duplicate-search': 'Looking for duplicates',
  'document-extraction': 'Reading documents',
};

export const STATE_TONES: Readonly<Record<JobState, BadgeTone>> = {
  queued: 'info',
  running: 'info',
  succeeded: 'good',
  failed: 'danger',
  cancelled: 'neutral',
  interrupted: 'warning',
};
