import { appendFileUpload as operation } from '@trellis/contract/operations/files.ts';
import { fileAppendRoute } from '../../file-route.ts';

export const appendFileUpload = fileAppendRoute(operation);
