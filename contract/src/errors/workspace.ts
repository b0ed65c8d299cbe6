import type { ErrorGroup } from './entry.ts';

/** Faults of the zip of a workspace's definitions. */
export const definitionErrors = {
  not_a_zip: {
    status: 400,
    title: 'Not a zip',
    hint: 'Send a zip as application/zip, or as the one file of a multipart/form-data.',
  },
  invalid_definitions: {
    status: 400,
    title: 'Not an export of definitions',
    hint: 'Send what GET /api/graph/export-definitions answers, or files of the same layout.',
  },
  import_running: {
    status: 409,
    title: 'Import running',
    hint: 'Wait until it is done: GET /api/jobs?kind=definitions-import&state=running shows it.',
  },
  import_incomplete: {
    status: 422,
    title: 'Import refused',
    hint: 'Nothing was changed. Correct what the log of the job names, and import again.',
  },
  deployment_not_found: {
    status: 404,
    title: 'Deployment not found',
    hint: 'GET /api/deployments lists those that are kept.',
  },
} as const satisfies ErrorGroup;

/** What is served to browsers. */
export const frontEndErrors = {
  front_end_not_built: {
    status: 404,
    title: 'No front end',
    hint: 'Run "npm run build" where the server is installed, then start it again.',
  },
  invalid_interface: {
    status: 422,
    title: 'Not an interface',
    hint: 'Send a zip of the files of the interface, with index.html at its root.',
  },
  interface_not_found: {
    status: 404,
    title: 'Interface not found',
    hint: 'GET /api/interfaces lists the interfaces there are.',
  },
  interface_in_use: {
    status: 409,
    title: 'Interface is the chosen one',
    hint: 'Choose another one first: the setting "interface" of the workspace, null for the built-in front end.',
  },
} as const satisfies ErrorGroup;
