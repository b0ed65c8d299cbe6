import * as definitions from '../../shapes/definitions.ts';
import { texts } from './property-texts.ts';

/** What is exported and imported. */
export const definitionTexts = [
  ...texts(definitions.definitionsImportQuery, {
    mirror: 'Whether definitions that the zip does not have are deleted; by default not.',
    dryRun: 'Whether to report only what would be done; by default not.',
    drafts:
      'Whether code that does not compile is imported too, as a draft; by default it fails, and nothing is imported.',
  }),
  ...texts(definitions.rollbackQuery, {
    dryRun: 'Whether to report only what would be done; by default not.',
    drafts: 'Whether code that does not compile is brought back too, as a draft; by default not.',
  }),
  ...texts(definitions.importedItem, {
    kind: 'What the definition is.',
    name: 'Name of the definition.',
    file: 'Path of its file, to whose lines the diagnostics point.',
    action: 'What was done with it, or would be.',
    diff: 'Unified diff of its files; empty if nothing changes, and a long one is cut off.',
    error: 'Why it failed; null if it did not.',
  }),
  ...texts(definitions.definitionsImport, {
    dryRun: 'Whether only a report was wanted.',
    mirror: 'Whether definitions that the zip does not have were deleted.',
    drafts: 'Whether code that does not compile was taken, as a draft.',
    applied: 'Whether the import was done; if any item failed, nothing was.',
    jobId: 'Id of the job of the import; null for a dry run.',
    deploymentId: 'Id of the deployment that it made; null if it changed nothing.',
    totals: 'How many definitions by what was done with them.',
    items: 'What became of each definition, in the order of the import.',
    ignored: 'Paths of the first files that were left out: no definitions, or not for this token.',
    afterwards: [
      'What is left for people to do once it is applied, since files do not hold it.',
      {
        kind: 'What the definition is.',
        name: 'Name of the definition.',
        message: 'What has to be done, such as to give a secret.',
      },
    ],
  }),
];
