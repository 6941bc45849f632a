-- table of counts 1 of 2
SELECT `born`, CAST(COUNT(*) AS INT64) AS `kcut_count`
FROM `census`.`people`
GROUP BY `born`;

-- table of counts 2 of 2
SELECT `zip`, CAST(COUNT(*) AS INT64) AS `kcut_count`
FROM `census`.`people`
GROUP BY `zip`;

-- BigQuery keeps no order of a table's rows: sort them again where they are exported
CREATE TABLE `masked` AS
SELECT
  CASE
    WHEN `it s` IS NULL THEN CAST(NULL AS STRING)
    ELSE CASE
      WHEN `it s` IN ('', 'a"b', 'c\\d\'') THEN `it s`
      ELSE '*'
    END
  END AS `it s`,
  CASE
    WHEN `age` IS NULL THEN CAST(NULL AS INT64)
    ELSE CASE
      WHEN `age` < CAST('0' AS INT64) THEN CAST(ERROR('a value of column age has no label in the cut') AS INT64)
      WHEN `age` > CAST('99' AS INT64) THEN CAST(ERROR('a value of column age has no label in the cut') AS INT64)
      ELSE CASE
        WHEN `age` < CAST('10' AS INT64) THEN CAST('0' AS INT64)
        ELSE CAST('10' AS INT64)
      END
    END
  END AS `age_lower`,
  CASE
    WHEN `age` IS NULL THEN CAST(NULL AS INT64)
    ELSE CASE
      WHEN `age` < CAST('0' AS INT64) THEN CAST(ERROR('a value of column age has no label in the cut') AS INT64)
      WHEN `age` > CAST('99' AS INT64) THEN CAST(ERROR('a value of column age has no label in the cut') AS INT64)
      ELSE CASE
        WHEN `age` < CAST('10' AS INT64) THEN CAST('10' AS INT64)
        ELSE CAST('99' AS INT64)
      END
    END
  END AS `age_upper`,
  CASE
    WHEN `born` IS NULL THEN ERROR('a value of column born has no label in the cut')
    ELSE CASE
      WHEN `born` < CAST('2000-03-01' AS DATE) THEN CASE
        WHEN `born` < CAST('1990-01-01' AS DATE) THEN ERROR('a value of column born has no label in the cut')
        WHEN `born` < CAST('2000-01-01' AS DATE) THEN '1990s'
        WHEN `born` < CAST('2000-02-01' AS DATE) THEN '2000-01'
        ELSE '2000-02'
      END
      ELSE CASE
        WHEN `born` < CAST('2000-05-04' AS DATE) THEN CASE
          WHEN `born` < CAST('2000-05-03' AS DATE) THEN ERROR('a value of column born has no label in the cut')
          ELSE '2000-05-03'
        END
        ELSE CASE
          WHEN `born` < CAST('2001-01-01' AS DATE) THEN ERROR('a value of column born has no label in the cut')
          WHEN `born` < CAST('2002-01-01' AS DATE) THEN '2001'
          ELSE ERROR('a value of column born has no label in the cut')
        END
      END
    END
  END AS `born`,
  CASE
    WHEN `zip` IS NULL THEN ERROR('a value of column zip has no label in the cut')
    ELSE CASE
      WHEN LENGTH(`zip`) > 1 AND SUBSTR(`zip`, 1, 1) = '0' THEN CONCAT(SUBSTR(`zip`, 1, 1), '*')
      WHEN LENGTH(`zip`) > 3 AND SUBSTR(`zip`, 1, 3) IN ('123', '124') THEN CONCAT(SUBSTR(`zip`, 1, 3), '*')
      WHEN `zip` = '77' THEN '77'
      ELSE ERROR('a value of column zip has no label in the cut')
    END
  END AS `zip`,
  CASE
    WHEN `tree` IS NULL THEN ERROR('a value of column tree has no label in the cut')
    ELSE CASE
      WHEN `tree` IN ('a\'b', 'c') THEN 'l\\eft'
      WHEN `tree` = 'd' THEN 'd'
      ELSE ERROR('a value of column tree has no label in the cut')
    END
  END AS `tree`,
  CASE
    WHEN `code` IS NULL THEN ERROR('a value of column code has no label in the cut')
    ELSE CASE
      WHEN `code` = CAST('30' AS INT64) THEN 'high'
      WHEN `code` IN (CAST('1' AS INT64), CAST('2' AS INT64), CAST('99' AS INT64)) THEN CAST(`code` AS STRING)
      ELSE ERROR('a value of column code has no label in the cut')
    END
  END AS `code`,
  CASE
    WHEN `paid` IS NULL THEN ERROR('a value of column paid has no label in the cut')
    ELSE CASE
      WHEN `paid` = CAST('1.50' AS NUMERIC(9, 2)) THEN '1.50'
      ELSE CASE
        WHEN `paid` < CAST('0.00' AS NUMERIC(9, 2)) THEN '(,0)'
        WHEN `paid` < CAST('9.50' AS NUMERIC(9, 2)) THEN ERROR('a value of column paid has no label in the cut')
        ELSE '[9.5,)'
      END
    END
  END AS `paid`,
  CASE
    WHEN `wage` IS NULL OR IS_NAN(`wage`) THEN CAST(NULL AS STRING)
    ELSE CASE
      WHEN `wage` < CAST('1.5' AS FLOAT64) THEN CASE
        WHEN `wage` < CAST('0' AS FLOAT64) THEN '(,0)'
        ELSE '[0,1.5)'
      END
      ELSE CASE
        WHEN `wage` < CAST('2' AS FLOAT64) THEN '[1.5,2)'
        WHEN `wage` < CAST('3' AS FLOAT64) THEN '[2,3)'
        ELSE '[3,)'
      END
    END
  END AS `wage`,
  `city`,
  `income`
FROM (
  SELECT
    CAST(`it s` AS STRING) AS `it s`,
    CAST(`age` AS INT64) AS `age`,
    CAST(`born` AS DATE) AS `born`,
    CAST(`zip` AS STRING) AS `zip`,
    CAST(`tree` AS STRING) AS `tree`,
    CAST(`code` AS INT64) AS `code`,
    CAST(`paid` AS NUMERIC(9, 2)) AS `paid`,
    CAST(`wage` AS FLOAT64) AS `wage`,
    `city`,
    `income`
  FROM `census`.`people`
) AS `kcut_rows`
ORDER BY `it s`, `age_lower`, `age_upper`, `born`, `zip`, `tree`, `code`, `paid`, `wage`, `city`, `income`;

-- every set holds if below_k is 0
SELECT 1 AS `set`, 2 AS `k`, CAST(SUM(`records`) AS INT64) AS `all_rows`, COUNT(*) AS `classes`, MIN(`records`) AS `anonymity`,
  CAST(SUM(CASE WHEN `records` < 2 THEN 1 ELSE 0 END) AS INT64) AS `below_k`
FROM (SELECT COUNT(*) AS `records` FROM `masked` GROUP BY `it s`, `age_lower`, `age_upper`, `born`, `zip`, `tree`, `code`, `paid`, `wage`) AS `kcut_classes`;

-- labels are the cut's if other_rows is 0
SELECT 'it s' AS `released`, CAST(SUM(CASE WHEN `it s` IS NULL THEN 0 WHEN `it s` IN ('', 'a"b', 'c\\d\'', '*') THEN 0 ELSE 1 END) AS INT64) AS `other_rows`
FROM `masked`
UNION ALL
SELECT 'born' AS `released`, CAST(SUM(CASE WHEN `born` IS NULL THEN 1 WHEN `born` IN ('1990s', '2000-01', '2000-02', '2000-05-03', '2001') THEN 0 ELSE 1 END) AS INT64) AS `other_rows`
FROM `masked`
UNION ALL
SELECT 'zip' AS `released`, CAST(SUM(CASE WHEN `zip` IS NULL THEN 1 WHEN `zip` IN ('0*', '123*', '124*', '77') THEN 0 ELSE 1 END) AS INT64) AS `other_rows`
FROM `masked`
UNION ALL
SELECT 'tree' AS `released`, CAST(SUM(CASE WHEN `tree` IS NULL THEN 1 WHEN `tree` IN ('l\\eft', 'd') THEN 0 ELSE 1 END) AS INT64) AS `other_rows`
FROM `masked`
UNION ALL
SELECT 'code' AS `released`, CAST(SUM(CASE WHEN `code` IS NULL THEN 1 WHEN `code` IN ('1', '2', '02', 'high', '99') THEN 0 ELSE 1 END) AS INT64) AS `other_rows`
FROM `masked`
UNION ALL
SELECT 'paid' AS `released`, CAST(SUM(CASE WHEN `paid` IS NULL THEN 1 WHEN `paid` IN ('(,0)', '1.50', '[9.5,)') THEN 0 ELSE 1 END) AS INT64) AS `other_rows`
FROM `masked`
UNION ALL
SELECT 'wage' AS `released`, CAST(SUM(CASE WHEN `wage` IS NULL THEN 0 WHEN `wage` IN ('(,0)', '[0,1.5)', '[1.5,2)', '[2,3)', '[3,)') THEN 0 ELSE 1 END) AS INT64) AS `other_rows`
FROM `masked`;

-- columns that are released as numbers are held against the cut by kcut verify, from the files
