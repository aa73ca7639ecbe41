/** The version that the OpenAPI document and `stream.ready` name. A test compares it with package.json. */
export const API_VERSION = '0.2.0';
